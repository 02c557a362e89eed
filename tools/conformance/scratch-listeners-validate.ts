import { existsSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { decodeResource, readScenario, renderProxy } from '@kedge/render';
import { scenarioNames } from './src/xds.ts';
const dir = join(import.meta.dirname, 'fixtures/xds');
const only = process.argv[2] ?? '';
const ENVOY = '/work/main/.cache/envoy-1.40.0/envoy';
mkdirSync('/tmp/lv', { recursive: true });
let ok = 0;
for (const name of scenarioNames(dir)) {
  if (!name.includes(only) || /^(bench|ambient|gwapi)/.test(name)) continue;
  const file = (f: string) => (existsSync(join(dir, name, f)) ? { name: f, text: readFileSync(join(dir, name, f), 'utf8') } : undefined);
  const s = readScenario({ manifests: [file('input.yaml')!], meshConfig: file('mesh.yaml'), meshNetworks: file('networks.yaml'), proxies: file('proxies.yaml')! });
  for (const { name: p, proxy } of s.proxies) {
    const stock = { ...proxy, extensions: new Set(['envoy.filters.network.tcp_proxy']) };
    const r = renderProxy(s.push, stock);
    const listeners = (r.lds ?? []).map((x) => decodeResource(x) as Record<string, unknown>);
    for (const l of listeners) delete l['@type'];
    const boot = {
      node: { id: 'x', cluster: 'y' },
      dynamicResources: { adsConfig: { apiType: 'GRPC', transportApiVersion: 'V3', grpcServices: [{ envoyGrpc: { clusterName: 'xds' } }] } },
      staticResources: {
        clusters: ['xds', 'sds-grpc', 'sds-external', 'sds-files-grpc', 'BlackHoleCluster'].map((n) => ({ name: n, type: 'STATIC', connectTimeout: '1s', loadAssignment: { clusterName: n, endpoints: [] }, typedExtensionProtocolOptions: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': { '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions', explicitHttpConfig: { http2ProtocolOptions: {} } } } })),
        listeners,
      },
    };
    const path = `/tmp/lv/${name}-${p}.json`;
    writeFileSync(path, JSON.stringify(boot));
    const run = spawnSync(ENVOY, ['--mode', 'validate', '-c', path, '-l', 'error'], { encoding: 'utf8' });
    if (run.status === 0) ok++;
    else console.log(name, p, run.status, run.stderr.slice(0, 500), run.stdout.slice(0, 300));
  }
}
console.log('ok', ok);
