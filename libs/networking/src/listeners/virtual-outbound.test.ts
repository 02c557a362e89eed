import { describe, expect, test } from '@jest/globals';
import { listenersOf, targetOf } from '../testing/listeners.ts';
import { meshOf, type MeshOptions, proxyOf, type ProxyOptions } from '../testing/mesh.ts';

const virtualOutbound = (options: MeshOptions = {}, proxy: ProxyOptions = {}) =>
  listenersOf(meshOf('', options), proxyOf('web', proxy))['virtualOutbound'];

const addressesOf = (listener: ReturnType<typeof virtualOutbound>): unknown =>
  [
    listener?.['address'],
    ...((listener?.['additionalAddresses'] ?? []) as { address: unknown }[]).map((a) => a.address),
  ].map((address) => (address as { socketAddress: { address: string } }).socketAddress.address);

describe('connections to destinations that the mesh doesn’t know', () => {
  const chains = (mesh: string): readonly string[] =>
    (virtualOutbound({ mesh })?.filterChains ?? []).map((chain) => `${chain.name} -> ${targetOf(chain)}`);

  test.each([
    ['ALLOW_ANY', 'PassthroughCluster'],
    ['REGISTRY_ONLY', 'BlackHoleCluster'],
  ])('%s', (mode, cluster) => {
    expect(chains(`outboundTrafficPolicy: {mode: ${mode}}`)).toEqual([
      'virtualOutbound-blackhole -> BlackHoleCluster',
      `virtualOutbound-catchall-tcp -> ${cluster}`,
    ]);
  });

  test('go by the names in requests, if they are HTTP', () => {
    const mesh = 'outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS}';
    expect(chains(mesh)).toEqual([
      'virtualOutbound-blackhole -> BlackHoleCluster',
      'virtualOutbound-catchall-tcp-http -> inline',
      'virtualOutbound-catchall-tcp -> PassthroughCluster',
    ]);
    const listener = virtualOutbound({ mesh });
    expect(listener?.listenerFilters?.map(({ name }) => name)).toEqual(['envoy.filters.listener.http_inspector']);
    expect(JSON.stringify(listener)).toContain('envoy.filters.http.dynamic_forward_proxy');
  });

  test('go through the proxy that a Sidecar names', () => {
    const sidecar = `
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: default, namespace: shop}
spec:
  outboundTrafficPolicy: {mode: ALLOW_ANY, egressProxy: {host: egress.shop.svc.cluster.local, port: {number: 443}, subset: s}}
---`;
    const listener = listenersOf(meshOf(sidecar), proxyOf('web'))['virtualOutbound'];
    expect(targetOf(listener?.filterChains.at(-1))).toBe('outbound|443|s|egress.shop.svc.cluster.local');
  });
});

describe('where it listens', () => {
  const both = { address: '10.0.0.1', metadata: { INSTANCE_IPS: '10.0.0.1,2001:db8::1' } };
  const v6 = { address: '2001:db8::1' };
  const dual = { environment: { ISTIO_DUAL_STACK: 'true' } };
  const v4Too = { environment: { ISTIO_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS: 'true' } };

  test.each<[string, MeshOptions, ProxyOptions, readonly string[]]>([
    ['IPv4', {}, {}, ['0.0.0.0']],
    ['IPv6', {}, v6, ['::']],
    ['IPv6, for IPv4 too', v4Too, v6, ['::', '0.0.0.0']],
    ['both families without the switch', {}, both, ['0.0.0.0']],
    ['both families', dual, both, ['0.0.0.0', '::']],
  ])('%s', (_, options, proxy, addresses) => {
    expect(addressesOf(virtualOutbound(options, proxy))).toEqual(addresses);
  });

  test('on the port of the mesh, transparently with TPROXY', () => {
    const listener = virtualOutbound({ mesh: 'proxyListenPort: 15101' }, { metadata: { INTERCEPTION_MODE: 'TPROXY' } });
    expect(listener).toMatchObject({
      address: { socketAddress: { portValue: 15101 } },
      transparent: true,
      useOriginalDst: true,
      filterChains: [{ filterChainMatch: { destinationPort: 15101 } }, {}],
    });
  });
});

test('the mesh’s or the proxy’s port for clients that use it as their HTTP proxy', () => {
  const names = (mesh: string, metadata = {}): readonly string[] =>
    Object.keys(listenersOf(meshOf('', { mesh }), proxyOf('web', { metadata }))).filter((name) => /\d/.test(name));
  expect(names('{}')).toEqual([]);
  expect(names('proxyHttpPort: 15002')).toEqual(['127.0.0.1_15002']);
  expect(names('proxyHttpPort: 15002', { HTTP_PROXY_PORT: '15007' })).toEqual(['127.0.0.1_15007']);
});

test('no listeners at all where the mesh has no port for them', () => {
  expect(listenersOf(meshOf('', { mesh: 'proxyListenPort: -1' }), proxyOf('web'))).toEqual({});
});
