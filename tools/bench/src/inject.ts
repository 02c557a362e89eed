import { defaultCapabilities, loadChart, manifestObjects, renderChart } from '@kedge/helm';
import {
  type InjectionConfig,
  type InjectionMesh,
  type InjectionValues,
  injectPod,
  isInjectionRequired,
  jsonPatch,
  type JsonObject,
  type Pod,
  type ProxyConfig,
  TemplateCache,
  workloadOfPod,
} from '@kedge/inject';
import { defaultMeshConfig, defaultProxyConfig } from '@kedge/model';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { printTable } from './measure.ts';

const SECONDS = 2;
const CHART = join(import.meta.dirname, '../../../charts/istio-control/istio-discovery');

/** What a webhook does with a pod, from the object to the JSON patch, without its transport. */
export const inject = {
  about: 'pods injected, from the object to the JSON patch, with the templates and values that the chart installs',
  run(): void {
    const installed = installation();
    printTable([
      ['pod', 'per CPU second', 'CPU ms each'],
      row('one container with a port and two probes', pod(1), installed),
      row('five containers', pod(5), installed),
    ]);
  },
};

interface Installation {
  readonly config: InjectionConfig;
  readonly values: InjectionValues;
}

/** The config map of the injector, as an installation has it. */
function installation(): Installation {
  const entries = readdirSync(CHART, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }): [string, string] => {
    const path = join(parentPath, name);
    return [relative(CHART, path), readFileSync(path, 'utf8')];
  });
  const release = { name: 'istiod', namespace: 'istio-system' };
  const rendered = renderChart(loadChart(new Map(files)), release, {}, defaultCapabilities('v1.32.0'));
  const { data } = manifestObjects(rendered).find(
    ({ kind, metadata }) => kind === 'ConfigMap' && (metadata as { name: string }).name === 'istio-sidecar-injector',
  ) as { readonly data: { readonly config: string; readonly values: string } };
  return { config: parse(data.config) as InjectionConfig, values: JSON.parse(data.values) as InjectionValues };
}

function pod(containers: number): Pod {
  const httpGet = { path: '/healthz', port: 8080 };
  const container = (name: string) => ({
    name,
    image: `registry.example.org/shop/${name}:1.2.3`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [{ name: 'LOG_LEVEL', value: 'info' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    livenessProbe: { httpGet },
    readinessProbe: { httpGet, periodSeconds: 5 },
    volumeMounts: [{ name: 'kube-api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
  });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-abc', uid: '1', controller: true };
  return {
    metadata: {
      generateName: 'web-abc-',
      namespace: 'shop',
      labels: { app: 'web', version: 'v1', 'pod-template-hash': 'abc' },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
      ownerReferences: [owner],
    },
    spec: {
      serviceAccountName: 'web',
      containers: Array.from({ length: containers }, (_, index) => container(`web${index}`)),
      volumes: [{ name: 'kube-api-access', projected: { sources: [] } }],
    },
  };
}

function row(name: string, object: Pod, { config, values }: Installation): readonly string[] {
  const mesh = { ...defaultMeshConfig } as unknown as InjectionMesh;
  const proxyDefaults = { ...defaultProxyConfig } as unknown as ProxyConfig;
  const workload = workloadOfPod(object.metadata);
  const common = { config, values, mesh, proxyDefaults, cache: new TemplateCache(undefined), revision: '' };
  const request = { ...common, pod: object, workload, nativeSidecars: true };
  const patchOf = (): number => {
    if (!isInjectionRequired(config, object)) throw new Error('the pod is not injected');
    const injected = injectPod(request, config.defaultTemplates ?? ['sidecar']);
    return jsonPatch(object as unknown as JsonObject, injected as unknown as JsonObject).length;
  };
  injectFor(0.5, patchOf);
  const before = process.cpuUsage();
  const count = injectFor(SECONDS, patchOf);
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = (user + system) / 1e6;
  return [name, (count / cpuSeconds).toFixed(0), ((1000 * cpuSeconds) / count).toFixed(2)];
}

function injectFor(seconds: number, work: () => number): number {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  for (; performance.now() < end; count++) if (work() === 0) throw new Error('nothing was patched');
  return count;
}
