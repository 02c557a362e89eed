import { parseProxy, type Proxy } from '@kedge/model';
import { answer, type EncodedResource, namesKey, TYPE_URLS, type TypeUrl, WILDCARD } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { readScenario } from '@kedge/render';
import { printTable } from './measure.ts';
import { meshFiles } from './mesh/files.ts';
import { meshConfig } from './mesh/manifests.ts';
import { endpointAddress, type MeshShape } from './mesh/shape.ts';

/** Types with what resources each has: all, or those that answers of another type name. */
const TYPES: readonly (readonly [name: 'CDS' | 'EDS' | 'LDS' | 'RDS', from: 'CDS' | 'LDS' | undefined])[] = [
  ['CDS', undefined],
  ['EDS', 'CDS'],
  ['LDS', undefined],
  ['RDS', 'LDS'],
];

const GATEWAY_HOSTS = 1000;

/** Generation alone: proxies of a mesh are asked for one after the other, so later ones find what earlier ones made. */
export const generate = {
  about: 'wall ms, and KB, to generate what proxies get, one after the other; no server, nothing sent',
  run(): void {
    const rows = [100, 1000].flatMap((services) => {
      const shape = { services, endpoints: 5, namespaces: 20, sidecar: false };
      const mesh = meshOf([...meshFiles(shape)].map(([, text]) => text));
      return [
        row(`${services} services, first sidecar`, mesh, sidecar(0, shape)),
        row(`${services} services, another of its namespace`, mesh, sidecar(shape.namespaces, shape)),
        row(`${services} services, first of another namespace`, mesh, sidecar(1, shape)),
      ];
    });
    const gateway = row(`gateway with ${GATEWAY_HOSTS} hosts`, meshOf(gatewayManifests()), router());
    printTable([['', ...TYPES.flatMap(([name]) => [`${name} ms`, 'KB'])], ...rows, gateway]);
  },
};

function meshOf(manifests: readonly string[]): PushContext {
  return readScenario({
    manifests: manifests.map((text, index) => ({ name: `${index}.yaml`, text })),
    meshConfig: { name: 'mesh.yaml', text: meshConfig },
    proxies: { name: 'proxies.yaml', text: 'proxies: []' },
  }).push;
}

function row(name: string, push: PushContext, proxy: Proxy): readonly string[] {
  const answers = new Map<string, readonly EncodedResource[]>();
  const cells = TYPES.flatMap(([type, from]) => {
    const names = from && requiredNames(answers.get(from) ?? [], TYPE_URLS[type]);
    const start = performance.now();
    const resources = push.evaluate(proxy, answer, TYPE_URLS[type], names ? namesKey(names) : WILDCARD);
    const elapsed = performance.now() - start;
    answers.set(type, resources);
    const bytes = resources.reduce((sum, { any }) => sum + any.length, 0);
    return [elapsed.toFixed(1), (bytes / 1000).toFixed(0)];
  });
  return [name, ...cells];
}

function requiredNames(resources: readonly EncodedResource[], type: TypeUrl): readonly string[] {
  const required = resources.flatMap(({ requires = [] }) => requires.filter(({ typeUrl }) => typeUrl === type));
  return [...new Set(required.flatMap(({ names }) => names))];
}

function sidecar(service: number, shape: MeshShape): Proxy {
  const namespace = `ns-${service % shape.namespaces}`;
  return proxyOf('sidecar', endpointAddress(service, 0), `svc-${service}`, namespace);
}

const router = (): Proxy => proxyOf('router', '10.0.0.1', 'gateway', 'edge');

function proxyOf(type: string, address: string, app: string, namespace: string): Proxy {
  const parsed = parseProxy({
    id: `${type}~${address}~${app}-0.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { NAMESPACE: namespace, CLUSTER_ID: 'Kubernetes', LABELS: { app }, SERVICE_ACCOUNT: app },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

function gatewayManifests(): readonly string[] {
  const shape = { services: GATEWAY_HOSTS, endpoints: 1, namespaces: 1, sidecar: false };
  const services = [...meshFiles(shape)].filter(([path]) => path.startsWith('se/')).map(([, text]) => text);
  const hosts = Array.from({ length: GATEWAY_HOSTS }, (_, i) => `site-${i}.example.com`);
  const gateway = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: edge, namespace: edge}
spec:
  selector: {app: gateway}
  servers:
  - {port: {number: 80, name: http, protocol: HTTP}, hosts: ["*.example.com"]}
`;
  const routes = hosts.map(
    (host, i) => `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: site-${i}, namespace: edge}
spec:
  hosts: [${host}]
  gateways: [edge]
  http:
  - match: [{uri: {prefix: /api}}]
    route: [{destination: {host: svc-${i}.ns-0.svc.cluster.local, port: {number: 80}}}]
  - route: [{destination: {host: svc-${i}.ns-0.svc.cluster.local, port: {number: 80}}}]
`,
  );
  return [...services, gateway, ...routes];
}
