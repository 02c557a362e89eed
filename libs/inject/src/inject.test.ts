import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { injectPod } from './inject.ts';
import { injectObject } from './objects.ts';
import type { Pod } from './pod.ts';
import type { InjectionRequest, InjectionValues } from './request.ts';

const template = (name: string) => readFileSync(join(import.meta.dirname, '../templates', `${name}.yaml`), 'utf8');

const values = {
  global: {
    ...{
      hub: 'hub',
      tag: '1',
      caAddress: '',
      imagePullPolicy: '',
      imagePullSecrets: [],
      istioNamespace: 'istio-system',
    },
    ...{ logAsJson: false, meshID: '', mountMtlsCerts: false, nativeNftables: false, network: '' },
    ...{ logging: { level: 'info' }, multiCluster: { clusterName: '' }, pilotCertProvider: 'istiod' },
    proxy: {
      ...{
        clusterDomain: 'cluster.local',
        componentLogLevel: '',
        image: 'proxyv2',
        logLevel: 'warning',
        statusPort: 15_020,
      },
      ...{
        excludeIPRanges: '',
        excludeInboundPorts: '',
        excludeOutboundPorts: '',
        outlierLogPath: '',
        privileged: false,
      },
      ...{
        includeIPRanges: '*',
        includeInboundPorts: '*',
        includeOutboundPorts: '',
        resources: {},
        seccompProfile: {},
      },
      ...{ readinessFailureThreshold: 4, readinessInitialDelaySeconds: 0, readinessPeriodSeconds: 15 },
      startupProbe: { enabled: false, failureThreshold: 1 },
    },
    ...{
      proxy_init: { image: 'proxyv2', forceApplyIptables: false },
      sds: { token: { aud: 'ca' } },
      sts: { servicePort: 0 },
    },
  },
  pilot: { cni: { enabled: false, provider: 'default' } },
  revision: '',
} satisfies InjectionValues;

const pod: Pod = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      {
        name: 'web',
        ports: [{ name: 'http', containerPort: 80 }],
        readinessProbe: { httpGet: { path: '/ready', port: 'http' }, timeoutSeconds: 2 },
      },
    ],
  },
};

const request = (changes: Partial<InjectionRequest> = {}): InjectionRequest => ({
  pod,
  workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'shop' },
  config: { policy: 'enabled', templates: { sidecar: template('sidecar') } },
  values,
  mesh: { trustDomain: 'cluster.local' },
  proxyDefaults: {},
  revision: '',
  nativeSidecars: false,
  ...changes,
});

const containersOf = (injected: Pod) => injected.spec.containers?.map(({ name }) => name);
const envOf = (injected: Pod, name: string) =>
  injected.spec.containers
    ?.find((container) => container.name === 'istio-proxy')
    ?.env?.find((variable) => variable.name === name)?.value;

describe('injectPod', () => {
  test('the proxy comes last, or first if the application waits for it', () => {
    expect(containersOf(injectPod(request(), ['sidecar']))).toEqual(['web', 'istio-proxy']);
    const mesh = { defaultConfig: { holdApplicationUntilProxyStarts: true } };
    expect(containersOf(injectPod(request({ mesh }), ['sidecar']))).toEqual(['istio-proxy', 'web']);
  });

  test('a native sidecar is an init container', () => {
    const { spec } = injectPod(request({ nativeSidecars: true }), ['sidecar']);
    expect(spec.initContainers?.map(({ name }) => name)).toEqual(['istio-init', 'istio-proxy']);
    expect(spec.containers?.map(({ name }) => name)).toEqual(['web']);
  });

  test('probes go through the agent', () => {
    const injected = injectPod(request(), ['sidecar']);
    expect(injected.spec.containers?.[0]?.readinessProbe).toEqual({
      httpGet: { path: '/app-health/web/readyz', port: 15_020 },
      timeoutSeconds: 2,
    });
    expect(JSON.parse(envOf(injected, 'ISTIO_KUBE_APP_PROBERS') ?? '')).toEqual({
      '/app-health/web/readyz': { httpGet: { path: '/ready', port: 80 }, timeoutSeconds: 2 },
    });
  });

  test('a rewritten probe keeps its headers, and asks the port where agents of the mesh serve', () => {
    const httpGet = { path: '/', port: 80, scheme: 'HTTPS', httpHeaders: [{ name: 'a', value: 'b' }] };
    const asked = {
      ...pod,
      spec: { containers: [{ name: 'web', livenessProbe: { httpGet }, startupProbe: { grpc: { port: 9 } } }] },
    };
    const mesh = { defaultConfig: { statusPort: 15_099 } };
    const injected = injectPod(request({ pod: asked, mesh }), ['sidecar']);
    expect(injected.spec.containers?.[0]?.livenessProbe).toEqual({
      httpGet: { ...httpGet, path: '/app-health/web/livez', port: 15_099, scheme: 'HTTP' },
    });
    expect(JSON.parse(envOf(injected, 'ISTIO_KUBE_APP_PROBERS') ?? '')).toEqual({
      '/app-health/web/livez': { httpGet },
      '/app-health/web/startupz': { grpc: { port: 9, service: null } },
    });
  });

  test("the network is the pod's own, else the installation's, and known to both proxy and pod", () => {
    const network = (own: string | undefined) => {
      const labels = { app: 'web', ...(own && { 'topology.istio.io/network': own }) };
      const global = { ...values.global, network: 'far' };
      const injected = injectPod(request({ pod: { ...pod, metadata: { labels } }, values: { ...values, global } }), [
        'sidecar',
      ]);
      return [envOf(injected, 'ISTIO_META_NETWORK'), injected.metadata.labels?.['topology.istio.io/network']];
    };
    expect(network('near')).toEqual(['near', 'near']);
    expect(network(undefined)).toEqual(['far', 'far']);
  });

  test('a port for metrics by mutual TLS is announced', () => {
    const secured = injectPod(
      request({ mesh: { defaultConfig: { proxyMetadata: { ENVOY_SECURE_MERGED_METRICS_PORT: '15091' } } } }),
      ['sidecar'],
    );
    expect(secured.metadata.annotations).toMatchObject({ 'prometheus.istio.io/secure-port': '15091' });
    expect(injectPod(request(), ['sidecar']).metadata.annotations).not.toHaveProperty([
      'prometheus.istio.io/secure-port',
    ]);
  });

  test('a second injection changes nothing', () => {
    const once = injectPod(request(), ['sidecar']);
    expect(injectPod(request({ pod: once }), ['sidecar'])).toEqual(once);
  });

  test('what the user wrote for the proxy wins, also the second time', () => {
    const own = { name: 'istio-proxy', image: 'auto', env: [{ name: 'POD_NAME', value: 'mine', valueFrom: null }] };
    const spec = { ...pod.spec, containers: [...(pod.spec.containers ?? []), own] };
    const once = injectPod(request({ pod: { ...pod, spec } }), ['sidecar']);
    const twice = injectPod(request({ pod: once }), ['sidecar']);
    for (const injected of [once, twice]) expect(envOf(injected, 'POD_NAME')).toBe('mine');
  });

  test('a container of the application that a template changes is there after a second injection', () => {
    const named = { ...pod, metadata: { annotations: { 'inject.istio.io/templates': 'grpc-simple' } } };
    const config = { policy: 'enabled', templates: { 'grpc-simple': template('grpc-simple') } };
    const once = injectPod(request({ pod: named, config }), ['sidecar']);
    expect(injectPod(request({ pod: once, config }), ['sidecar'])).toEqual(once);
    expect(containersOf(once)).toEqual(['web']);
  });

  test("templates of a user's own, by alias", () => {
    const named = { ...pod, metadata: { annotations: { 'inject.istio.io/templates': 'both' } } };
    const templates = {
      one: 'metadata: {labels: {one: {{ .DeploymentMeta.Name | upper | quote }}}}',
      two: 'spec:\n  containers:\n{{- range .Spec.Containers }}\n  - {name: {{ .Name }}, tty: true}\n{{- end }}',
    };
    const config = { policy: 'enabled', templates, aliases: { both: ['one', 'two'] } };
    const injected = injectPod(request({ pod: named, config }), ['sidecar']);
    expect(injected.metadata.labels).toEqual({ one: 'WEB' });
    expect(injected.spec.containers?.[0]?.tty).toBe(true);
  });

  test("a template of a user's own beside the sidecar, with functions of sprig and of Istio", () => {
    const custom = `
{{- $port := index .ObjectMeta.Annotations "example.org/port" | default "9000" }}
metadata:
  annotations: {{ toJsonMap (strdict "example.org/rev" (.Revision | default "none")) (omit .ObjectMeta.Labels "app") }}
spec:
  containers:
  - name: istio-proxy
    env:
    - {name: GREETING, value: {{ printf "%s-%s" (lower "HELLO") (trunc 3 "world") | quote }}}
    - {name: PORT, value: {{ annotation .ObjectMeta "example.org/port" $port | quote }}}
  {{- range $index, $name := splitList "," "a,b" }}
  - {name: helper-{{ $name }}, image: {{ $.ProxyImage }}, args: [{{ add $index 1 | quote }}]}
  {{- end }}
  {{- if hasKey .Values "pilot" }}
  volumes:
{{ toYaml (list (dict "name" "own" "emptyDir" (dict))) | indent 2 }}
  {{- end }}`;
    const named = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { 'inject.istio.io/templates': 'sidecar, custom' } },
    };
    const config = { policy: 'enabled', templates: { sidecar: template('sidecar'), custom } };
    const injected = injectPod(request({ pod: named, config, revision: 'r' }), ['sidecar']);
    expect([envOf(injected, 'GREETING'), envOf(injected, 'PORT')]).toEqual(['hello-wor', '9000']);
    expect(injected.metadata.annotations).toMatchObject({ 'example.org/rev': 'r' });
    const helpers = injected.spec.containers?.filter(({ name }) => name.startsWith('helper-'));
    expect(helpers).toEqual([
      { name: 'helper-a', image: 'hub/proxyv2:1', args: ['1'] },
      { name: 'helper-b', image: 'hub/proxyv2:1', args: ['2'] },
    ]);
    expect(injected.spec.volumes).toContainEqual({ name: 'own', emptyDir: {} });
  });

  test("the webhook's URL sets variables of the proxy", () => {
    const proxyEnvironment = { ISTIO_META_CLUSTER_ID: 'west', ISTIO_META_NETWORK: 'n' };
    const injected = injectPod(request({ proxyEnvironment }), ['sidecar']);
    expect(envOf(injected, 'ISTIO_META_CLUSTER_ID')).toBe('west');
    expect(envOf(injected, 'ISTIO_META_NETWORK')).toBe('n');
  });

  test('a template that is not there', () => {
    expect(() => injectPod(request(), ['waypoint'])).toThrow('there is no injection template "waypoint"');
  });
});

test('injectObject leaves objects without pods alone, and goes through lists', () => {
  const service = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a' } };
  const deployment = {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'b' },
    spec: { template: { spec: {} } },
  };
  const seen: string[] = [];
  injectObject({ kind: 'List', apiVersion: 'v1', items: [service, deployment] }, (template, { name }) => {
    seen.push(name);
    return template;
  });
  expect(seen).toEqual(['b']);
});

test('injectObject takes labels and annotations that are no texts for what they say', () => {
  const metadata = { labels: { version: 1, 'sidecar.istio.io/inject': false }, annotations: { port: 80, none: null } };
  const template = { metadata, spec: {} };
  const seen: unknown[] = [];
  injectObject({ kind: 'Deployment', apiVersion: 'apps/v1', spec: { template } }, (own) => {
    seen.push(own.metadata);
    return own;
  });
  expect(seen).toEqual([
    { labels: { version: '1', 'sidecar.istio.io/inject': 'false' }, annotations: { port: '80', none: '' } },
  ]);
});

test.each([
  [{}, { limits: { cpu: '2' } }],
  [
    { 'sidecar.istio.io/proxyCPU': '5m', 'sidecar.istio.io/proxyMemoryLimit': '1Gi' },
    { requests: { cpu: '5m' }, limits: { memory: '1Gi' } },
  ],
])('resources of the agent of gRPC, with annotations %j', (annotations, resources) => {
  const { global } = values;
  const proxy = { ...global.proxy, resources: { limits: { cpu: '2' } } };
  const { spec } = injectPod(
    request({
      pod: { ...pod, metadata: { annotations } },
      config: { policy: 'enabled', templates: { 'grpc-agent': template('grpc-agent') } },
      values: { ...values, global: { ...global, proxy } },
    }),
    ['grpc-agent'],
  );
  expect(spec.containers?.find(({ name }) => name === 'istio-proxy')).toMatchObject({ resources });
});

test('the status tells of what templates add in the order that it has in the pod', () => {
  const volumes = (...names: string[]) => JSON.stringify({ spec: { volumes: names.map((name) => ({ name })) } });
  const templates = { one: volumes('a', 'b', 'c'), two: volumes('a', 'x', 'c') };
  const asked = { ...pod, metadata: { annotations: { 'inject.istio.io/templates': 'one,two' } } };
  const { metadata, spec } = injectPod(request({ pod: asked, config: { policy: 'enabled', templates } }), ['one']);
  expect(spec.volumes).toEqual(['a', 'x', 'b', 'c'].map((name) => ({ name })));
  expect(JSON.parse(metadata.annotations?.['sidecar.istio.io/status'] ?? '')).toMatchObject({
    volumes: ['a', 'x', 'b', 'c'],
  });
});
