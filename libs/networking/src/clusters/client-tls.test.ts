import { describe, expect, test } from '@jest/globals';
import { generatedLoadAssignment } from '../endpoints/load-assignment.ts';
import { messagesOf, meshOf, proxyOf } from '../testing/mesh.ts';
import { clusters } from './clusters.ts';

const NAME = 'outbound|80||stock.depot.svc.cluster.local';

const workload = (app: string, address: string): string => `
apiVersion: v1
kind: Pod
metadata: {name: ${app}, namespace: depot, labels: {app: ${app}, security.istio.io/tlsMode: istio}}
spec: {serviceAccountName: ${app}}
status: {phase: Running, podIP: ${address}, podIPs: [{ip: ${address}}], conditions: [{type: Ready, status: "True"}]}
---`;

const service = (clusterIP: string): string => `
apiVersion: v1
kind: Service
metadata: {name: stock, namespace: depot}
spec: {clusterIP: ${clusterIP}, ports: [{name: http, port: 80, targetPort: 8080, protocol: TCP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: stock-1, namespace: depot, labels: {kubernetes.io/service-name: stock}}
addressType: IPv4
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints:
- {addresses: [10.1.0.1], conditions: {ready: true}, targetRef: {kind: Pod, name: strict, namespace: depot}}
- {addresses: [10.1.0.2], conditions: {ready: true}, targetRef: {kind: Pod, name: other, namespace: depot}}
---
${workload('strict', '10.1.0.1')}${workload('other', '10.1.0.2')}`;

const policy = (namespace: string, mode: string, app?: string): string => `
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: ${app ?? 'default'}, namespace: ${namespace}}
spec:
  mtls: {mode: ${mode}}
  ${app ? `selector: {matchLabels: {app: ${app}}}` : ''}
---`;

/** Whether the cluster of the service may use TLS, and which of its endpoints then get it. */
function transportOf(manifests: string): { cluster: 'plain' | 'by endpoint' | 'tls'; secured: readonly string[] } {
  const push = meshOf(manifests);
  const client = proxyOf('client');
  const found = messagesOf(push.evaluate(client, clusters))[NAME] as {
    readonly transportSocketMatches?: object;
    readonly transportSocket?: object;
  };
  const answer = push.evaluate(client, generatedLoadAssignment, NAME)?.value;
  const assignment = (answer ? messagesOf([answer])[NAME] : {}) as {
    readonly endpoints?: readonly { readonly lbEndpoints: readonly LbEndpoint[] }[];
  };
  const endpoints = (assignment.endpoints ?? []).flatMap(({ lbEndpoints }) => lbEndpoints);
  return {
    cluster: found.transportSocketMatches ? 'by endpoint' : found.transportSocket ? 'tls' : 'plain',
    secured: endpoints
      .filter(({ metadata }) => metadata?.filterMetadata['envoy.transport_socket_match'] !== undefined)
      .map(({ endpoint }) => endpoint.address.socketAddress.address),
  };
}

interface LbEndpoint {
  readonly metadata?: { readonly filterMetadata: Readonly<Record<string, object>> };
  readonly endpoint: { readonly address: { readonly socketAddress: { readonly address: string } } };
}

describe('mutual TLS that nobody asked for by a rule', () => {
  const mesh = policy('istio-system', 'DISABLE');

  test('is used with workloads that demand it, whatever the mesh says', () => {
    expect(transportOf(service('10.96.0.1') + mesh + policy('depot', 'STRICT', 'strict'))).toEqual({
      cluster: 'by endpoint',
      secured: ['10.1.0.1'],
    });
  });

  test('is not used where the mesh forbids it and nobody says otherwise', () => {
    expect(transportOf(service('10.96.0.1') + mesh).cluster).toBe('plain');
    expect(transportOf(service('10.96.0.1') + mesh + policy('depot', 'DISABLE', 'strict')).cluster).toBe('plain');
  });

  test('is not used where the namespace forbids it', () => {
    const manifests = service('10.96.0.1') + policy('depot', 'DISABLE') + policy('depot', 'STRICT', 'strict');
    expect(transportOf(manifests).cluster).toBe('plain');
  });

  test('needs all endpoints where they cannot be told apart', () => {
    const headless = service('None') + mesh + policy('depot', 'STRICT', 'strict');
    expect(transportOf(headless).cluster).toBe('plain');
    expect(transportOf(headless + policy('depot', 'PERMISSIVE', 'other')).cluster).toBe('tls');
  });
});
