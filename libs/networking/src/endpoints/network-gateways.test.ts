import { expect, test } from '@jest/globals';
import type { ClusterLoadAssignment } from '@kedge/envoy-api';
import { type PushContext, resolvedHostsSource } from '@kedge/pushcontext';
import { meshOf, messagesOf, proxyOf } from '../testing/mesh.ts';
import { generatedLoadAssignment } from './load-assignment.ts';
import { hostsOfGateways } from './network-gateways.ts';

const CLUSTER = 'outbound|80||ext.example.com';
const proxy = proxyOf('client', { metadata: { NETWORK: 'near' } });

const entry = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ext, namespace: shop}
spec:
  hosts: [ext.example.com]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  location: MESH_INTERNAL
  endpoints:
  - {address: 10.9.0.1, network: far, labels: {security.istio.io/tlsMode: istio}}
`;

const networks = `
networks:
  far:
    gateways:
    - {address: gw.example.com, port: 15443}
    - {address: 172.18.0.9, port: 15443}
`;

function gatewaysSeen(push: PushContext): readonly string[] {
  const resource = push.evaluate(proxy, generatedLoadAssignment, CLUSTER)?.value;
  const message = resource && (messagesOf([resource])[CLUSTER] as unknown as ClusterLoadAssignment);
  return (message?.endpoints ?? []).flatMap(({ lbEndpoints = [] }) =>
    lbEndpoints.map(({ endpoint, loadBalancingWeight }) => {
      const { address, portValue } = endpoint?.address?.socketAddress ?? {};
      return `${address}:${portValue} ${loadBalancingWeight}`;
    }),
  );
}

test('a gateway named by host is reached at each of its addresses, once they are known', () => {
  const unresolved = meshOf(entry, { networks });
  expect(unresolved.evaluate(proxy, hostsOfGateways)).toEqual(['gw.example.com']);
  expect(gatewaysSeen(unresolved)).toEqual(['172.18.0.9:15443 1']);

  const resolved = unresolved.next((edit) =>
    edit.set(resolvedHostsSource, 'gw.example.com', ['172.18.0.7', '172.18.0.8']),
  );
  expect(gatewaysSeen(resolved)).toEqual(['172.18.0.7:15443 1', '172.18.0.8:15443 1', '172.18.0.9:15443 1']);
});

test('an address that a host has too is one gateway', () => {
  const push = meshOf(entry, { networks }).next((edit) =>
    edit.set(resolvedHostsSource, 'gw.example.com', ['172.18.0.9']),
  );
  expect(gatewaysSeen(push)).toEqual(['172.18.0.9:15443 1']);
});

test('with RESOLVE_HOSTNAME_GATEWAYS=false hosts are neither asked for nor used', () => {
  const push = meshOf(entry, { networks, environment: { RESOLVE_HOSTNAME_GATEWAYS: 'false' } }).next((edit) =>
    edit.set(resolvedHostsSource, 'gw.example.com', ['172.18.0.7']),
  );
  expect(push.evaluate(proxy, hostsOfGateways)).toEqual([]);
  expect(gatewaysSeen(push)).toEqual(['172.18.0.9:15443 1']);
});
