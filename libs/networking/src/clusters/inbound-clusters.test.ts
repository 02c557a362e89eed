import { describe, expect, test } from '@jest/globals';
import type { Any } from '@kedge/envoy-api';
import type { Proxy } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { meshOf, messagesOf, proxyOf, serviceManifest } from '../testing/mesh.ts';
import { clusters } from './clusters.ts';

const server = (metadata: Readonly<Record<string, unknown>> = {}, address = '10.0.1.1'): Proxy =>
  proxyOf('web', { address, metadata: { LABELS: { app: 'web' }, ...metadata } });

const inboundOf = (push: PushContext, proxy: Proxy): Readonly<Record<string, Any>> =>
  Object.fromEntries(
    Object.entries(messagesOf(push.evaluate(proxy, clusters))).filter(([name]) => name.startsWith('inbound|')),
  );

/** A Sidecar with one ingress listener on 9080. */
const sidecar = (rest: string): string => `
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: web, namespace: shop}
spec:
  ingress: [{port: {number: 9080, protocol: HTTP, name: in}${rest}}]
---`;

const addressOf = (cluster: Any | undefined): unknown => {
  const { endpoints } = (cluster?.['loadAssignment'] ?? {}) as {
    endpoints?: readonly { lbEndpoints: readonly { endpoint: { address: unknown } }[] }[];
  };
  return endpoints?.[0]?.lbEndpoints[0]?.endpoint.address;
};

describe('by service', () => {
  test('a cluster for each port of the workload, to wherever the connection was bound for', () => {
    expect(inboundOf(meshOf(serviceManifest('web')), server())).toMatchObject({
      'inbound|8080||': {
        type: 'ORIGINAL_DST',
        cleanupInterval: '9223372035s',
        upstreamBindConfig: { sourceAddress: { address: '127.0.0.6', portValue: 0 } },
      },
    });
  });

  test('to the target port of a host without endpoints', () => {
    const entry = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ext, namespace: shop}
spec:
  hosts: [ext.example.com]
  location: MESH_INTERNAL
  resolution: NONE
  ports: [{number: 8443, name: tls, protocol: TLS, targetPort: 8080}]
  workloadSelector: {labels: {app: web}}
---
apiVersion: networking.istio.io/v1
kind: WorkloadEntry
metadata: {name: web, namespace: shop}
spec: {address: 10.0.1.1, labels: {app: web}}
---`;
    expect(inboundOf(meshOf(entry), server())).toMatchObject({
      'inbound|8080||': { originalDstLbConfig: { upstreamPortOverride: 8080 } },
    });
  });

  test('to loopback where the mesh says so', () => {
    const push = meshOf(serviceManifest('web'), { mesh: 'inboundTrafficPolicy: {mode: LOCALHOST}' });
    const cluster = inboundOf(push, server())['inbound|8080||'];
    expect(addressOf(cluster)).toEqual({ socketAddress: { address: '127.0.0.1', portValue: 8080 } });
    expect(cluster).not.toHaveProperty('upstreamBindConfig');
  });

  test.each([
    ['"./*"', 7],
    ['"~/*"', 4_294_967_295],
  ])("limits by a rule for the service, if it is in the proxy's scope: %s", (hosts, maxConnections) => {
    const push = meshOf(`${serviceManifest('web')}
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web, trafficPolicy: {connectionPool: {tcp: {maxConnections: 7}}}}
---
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: web, namespace: shop}
spec: {egress: [{hosts: [${hosts}]}]}`);
    expect(inboundOf(push, server())['inbound|8080||']).toMatchObject({
      circuitBreakers: { thresholds: [{ maxConnections }] },
    });
  });

  test('none where the proxy cannot listen in place of the workload', () => {
    expect(inboundOf(meshOf(serviceManifest('web')), server({ INTERCEPTION_MODE: 'NONE' }))).toEqual({});
  });
});

describe('by ingress listener', () => {
  test.each([
    ['127.0.0.1:8080', { socketAddress: { address: '127.0.0.1', portValue: 8080 } }],
    ['0.0.0.0:8080', { socketAddress: { address: '10.0.1.1', portValue: 8080 } }],
    ['"[::1]:8080"', { socketAddress: { address: '127.0.0.1', portValue: 8080 } }],
    ['unix:///run/app.sock', { pipe: { path: '/run/app.sock' } }],
  ])('defaultEndpoint %s', (endpoint, address) => {
    const push = meshOf(sidecar(`, defaultEndpoint: ${endpoint}`));
    expect(addressOf(inboundOf(push, server())['inbound|9080||'])).toEqual(address);
  });

  test('services play no part beside it, unless both are wanted', () => {
    const manifests = serviceManifest('web') + sidecar(', defaultEndpoint: 127.0.0.1:8080');
    expect(Object.keys(inboundOf(meshOf(manifests), server()))).toEqual(['inbound|9080||']);
    const merged = meshOf(manifests, { environment: { PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE: 'true' } });
    expect(Object.keys(inboundOf(merged, server()))).toEqual(['inbound|8080||', 'inbound|9080||']);
  });

  test('its connection pool counts more than that of a rule', () => {
    const push = meshOf(
      serviceManifest('web') +
        sidecar(', defaultEndpoint: 127.0.0.1:8080, connectionPool: {tcp: {maxConnections: 4}}') +
        `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web, trafficPolicy: {connectionPool: {tcp: {maxConnections: 9}}}}`,
    );
    expect(inboundOf(push, server())['inbound|9080||']).toMatchObject({
      circuitBreakers: { thresholds: [{ maxConnections: 4 }] },
    });
  });
});
