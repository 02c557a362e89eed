import { describe, expect, test } from '@jest/globals';
import { setObject } from '@kedge/config';
import { defaultMeshConfig, parseConfigFile, parseFeatures, parseProxy, type Proxy } from '@kedge/model';
import { standardRegistries } from '@kedge/registry';
import { autoPassthroughHosts, mergedGateway } from './gateways.ts';
import { setMeshSettings } from './mesh-settings.ts';
import { PushContext } from './push-context.ts';

function meshOf(manifests: string, environment: Readonly<Record<string, string>> = {}): PushContext {
  return PushContext.empty().next((edit) => {
    setMeshSettings(edit, {
      mesh: defaultMeshConfig,
      networks: { networks: {} },
      features: parseFeatures(environment).features,
      environment: { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' },
      registries: standardRegistries('Kubernetes'),
    });
    for (const { config } of parseConfigFile(manifests, 'test.yaml')) if (config) setObject(edit, config, config);
  });
}

function gatewayProxy(labels: Readonly<Record<string, string>> = { app: 'edge' }): Proxy {
  const metadata = { NAMESPACE: 'edge', CLUSTER_ID: 'Kubernetes', LABELS: labels };
  const parsed = parseProxy({ id: 'router~10.0.0.1~edge.edge~edge.svc.cluster.local', metadata });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

const gateway = (name: string, { namespace = 'edge', annotations = '{}', number = 80, more = '' } = {}): string => `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: ${namespace}, annotations: ${annotations}}
spec:
  selector: {app: edge}
  servers: [{port: {number: ${number}, name: http, protocol: HTTP}, hosts: ["*"]}${more}]
---`;

const service = (name: string, targetPort: number, labels = '{}'): string => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: edge, labels: ${labels}}
spec: {clusterIP: 10.96.0.9, selector: {app: edge}, ports: [{name: http, port: 80, targetPort: ${targetPort}, protocol: TCP}]}
---`;

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: edge, labels: {app: edge}}
spec: {containers: [{name: proxy}]}
status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}], conditions: [{type: Ready, status: "True"}]}
---`;

const ports = (push: PushContext, proxy = gatewayProxy()): readonly number[] =>
  push.evaluate(proxy, mergedGateway).listeners.map(({ port }) => port);
const names = (push: PushContext): readonly string[] => push.evaluate(gatewayProxy(), mergedGateway).gateways;

describe('the port of the workload', () => {
  test('is that of the first service with the Gateway’s port', () => {
    expect(ports(meshOf(pod + service('a', 8080) + service('b', 9090) + gateway('g')))).toEqual([8080]);
  });

  test('is the Gateway’s own where a service wants no translation', () => {
    const labels = '{experimental.istio.io/disable-gateway-port-translation: "true"}';
    expect(ports(meshOf(pod + service('a', 8080, labels) + gateway('g')))).toEqual([80]);
  });

  test('is that of each service that the Gateway is tied to, and of no other', () => {
    const annotations = '{internal.istio.io/gateway-service: "a.edge.svc.cluster.local,b.edge.svc.cluster.local"}';
    const tied = gateway('g', { annotations });
    expect(ports(meshOf(pod + service('a', 8080) + service('b', 9090) + service('c', 7070) + tied))).toEqual([
      8080, 9090,
    ]);
    expect(ports(meshOf(pod + service('c', 7070) + tied))).toEqual([]);
  });
});

test('Gateways of other namespaces do not count for workloads that are managed for a Gateway of the Gateway API', () => {
  const managed = '{internal.istio.io/gateway-semantics: gateway, internal.istio.io/service-account-name: edge}';
  const objects =
    gateway('a', { annotations: managed }) +
    gateway('b', { number: 81 }) +
    gateway('c', { namespace: 'shop', number: 82 });
  expect(names(meshOf(objects))).toEqual(['edge/a', 'edge/b']);
  expect(names(meshOf(objects, { PILOT_ENABLE_STRICT_GATEWAY_MERGING: 'false' }))).toEqual([
    'edge/a',
    'edge/b',
    'shop/c',
  ]);
});

test('proxies with the same Gateways and ports share what these come to', () => {
  const push = meshOf(gateway('g'));
  const one = push.evaluate(gatewayProxy({ app: 'edge', version: 'v1' }), mergedGateway);
  expect(push.evaluate(gatewayProxy({ app: 'edge', version: 'v2' }), mergedGateway)).toBe(one);
});

test('hosts between networks', () => {
  const more = ', {port: {number: 15443, name: tls, protocol: TLS}, hosts: ["*.local"], tls: {mode: AUTO_PASSTHROUGH}}';
  expect(meshOf(gateway('g', { more })).evaluate(gatewayProxy(), autoPassthroughHosts)).toEqual(['*.local']);
  expect(meshOf(gateway('g')).evaluate(gatewayProxy(), autoPassthroughHosts)).toEqual([]);
});
