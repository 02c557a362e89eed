import { describe, expect, test } from '@jest/globals';
import { listenersOf, targetOf, type TestListener } from '../testing/listeners.ts';
import { meshOf, type MeshOptions, proxyOf } from '../testing/mesh.ts';

const manifests = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  clusterIP: 10.1.0.1
  selector: {app: web}
  ports:
  - {name: http, port: 80, targetPort: 8080, protocol: TCP}
  - {name: tcp, port: 9000, targetPort: 9000, protocol: TCP}
---`;

const web = (metadata: Readonly<Record<string, unknown>> = {}) =>
  proxyOf('web', { address: '10.0.0.1', metadata: { LABELS: { app: 'web' }, ...metadata } });

const peerAuthentication = (spec: string): string => `
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: p, namespace: shop}
spec: {${spec}}
---`;

const inbound = (extra = '', proxy = web(), options: MeshOptions = {}): TestListener | undefined =>
  listenersOf(meshOf(manifests + extra, options), proxy)['virtualInbound'];

/** The chains of a port as `transport protocols -> target`; `+tls` where the proxy ends TLS. */
const chainsOn = (listener: TestListener | undefined, port?: number): readonly string[] =>
  (listener?.filterChains ?? [])
    .filter(({ filterChainMatch }) => filterChainMatch?.['destinationPort'] === port)
    .map((chain) => {
      const { transportProtocol, applicationProtocols = [] } = (chain.filterChainMatch ?? {}) as {
        transportProtocol?: string;
        applicationProtocols?: readonly string[];
      };
      const tls = chain.transportSocket ? '+tls' : '';
      return `${transportProtocol}${tls} ${applicationProtocols.join(',')} -> ${targetOf(chain)}`;
    });

const MESH = 'istio,istio-peer-exchange,istio-http/1.0,istio-http/1.1,istio-h2';

describe('how ports take connections', () => {
  test('plain text and mutual TLS, where nobody says anything', () => {
    const listener = inbound();
    expect(chainsOn(listener, 8080)).toEqual([`tls+tls ${MESH} -> inline`, 'raw_buffer  -> inline']);
    expect(chainsOn(listener, 9000)).toEqual([
      `tls+tls ${MESH} -> inbound|9000||`,
      'tls  -> inbound|9000||',
      'raw_buffer  -> inbound|9000||',
    ]);
    expect(chainsOn(listener)).toHaveLength(5);
  });

  test('mutual TLS only', () => {
    const listener = inbound(peerAuthentication('mtls: {mode: STRICT}'));
    expect(chainsOn(listener, 8080)).toEqual(['tls+tls  -> inline']);
    expect(chainsOn(listener, 9000)).toEqual(['tls+tls  -> inbound|9000||']);
    expect(chainsOn(listener)).toEqual([
      'tls+tls istio-http/1.0,istio-http/1.1,istio-h2 -> inline',
      'tls+tls  -> InboundPassthroughCluster',
    ]);
  });

  test('plain text only, without looking for TLS', () => {
    const listener = inbound(peerAuthentication('mtls: {mode: DISABLE}'));
    expect(chainsOn(listener, 8080)).toEqual(['raw_buffer  -> inline']);
    expect(listener?.listenerFilters?.map(({ name }) => name)).toEqual([
      'envoy.filters.listener.original_dst',
      'envoy.filters.listener.http_inspector',
    ]);
  });

  test('by port, also for ports that no service has', () => {
    const listener = inbound(
      peerAuthentication(
        'selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}, portLevelMtls: {9000: {mode: DISABLE}, 7777: {mode: UNSET}}',
      ),
    );
    expect(chainsOn(listener, 8080)).toEqual(['tls+tls  -> inline']);
    expect(chainsOn(listener, 9000)).toEqual(['raw_buffer  -> inbound|9000||']);
    expect(chainsOn(listener, 7777)).toHaveLength(2);
  });

  test('inspectors leave ports alone that need them not', () => {
    const range = (port: number) => ({ destinationPortRange: { start: port, end: port + 1 } });
    const filters = inbound()?.listenerFilters ?? [];
    expect(Object.fromEntries(filters.map(({ name, filterDisabled }) => [name, filterDisabled]))).toEqual({
      'envoy.filters.listener.original_dst': undefined,
      'envoy.filters.listener.tls_inspector': range(15006),
      'envoy.filters.listener.http_inspector': { orMatch: { rules: [range(8080), range(9000), range(15006)] } },
    });
  });
});

test('connections to the port of the listener itself go nowhere, whoever they come from', () => {
  const policies = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: nobody, namespace: shop}
---`;
  const options = { mesh: 'proxyInboundListenPort: 15106\naccessLogFile: /dev/stdout' };
  const [first] = inbound(peerAuthentication('mtls: {mode: STRICT}') + policies, web(), options)?.filterChains ?? [];
  expect(first).toMatchObject({ name: 'virtualInbound-blackhole', filterChainMatch: { destinationPort: 15106 } });
  expect(Object.keys(first?.filterChainMatch ?? {})).toEqual(['destinationPort']);
  expect(first?.filters.map(({ name }) => name)).toEqual([
    'istio.metadata_exchange',
    'envoy.filters.network.tcp_proxy',
  ]);
  expect(first?.filters.at(-1)?.typedConfig).not.toHaveProperty('accessLog');
  expect(targetOf(first)).toBe('BlackHoleCluster');
});

test("names of statistics follow the mesh's pattern, on ports that no service has too", () => {
  const mesh = 'inboundClusterStatName: "in_%SERVICE_NAME%_%SERVICE_PORT_NAME%_%SERVICE_PORT%"';
  const listener = inbound('', web(), { mesh });
  const names = listener?.filterChains?.flatMap(({ filters = [] }) =>
    filters
      .filter(({ name }) => name === 'envoy.filters.network.tcp_proxy')
      .map(({ typedConfig }) => typedConfig?.['statPrefix']),
  );
  expect(new Set(names)).toEqual(new Set(['BlackHoleCluster', 'in__virtualInbound_0', 'in_web_tcp_9000']));
});

test('TPROXY keeps the addresses of clients', () => {
  const listener = inbound('', web({ INTERCEPTION_MODE: 'TPROXY' }));
  expect(listener).toMatchObject({ transparent: true });
  expect(listener?.listenerFilters?.[1]).toMatchObject({
    name: 'envoy.filters.listener.original_src',
    typedConfig: { mark: 1337 },
  });
});

describe('ingress listeners of a Sidecar', () => {
  const sidecar = (ingress: string): string => `
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: web, namespace: shop}
spec: {workloadSelector: {labels: {app: web}}, ingress: [${ingress}]}
---`;

  test('take the place of the services', () => {
    const listener = inbound(
      sidecar('{port: {number: 9080, protocol: HTTP, name: in}, defaultEndpoint: "127.0.0.1:8080"}'),
    );
    expect(chainsOn(listener, 8080)).toEqual([]);
    expect(chainsOn(listener, 9080)).toEqual([`tls+tls ${MESH} -> inline`, 'raw_buffer  -> inline']);
  });

  test('of the root namespace are known by the namespace that they apply to', () => {
    const shared = sidecar('{port: {number: 9080, protocol: HTTP, name: in}}')
      .replace('namespace: shop', 'namespace: istio-system')
      .replace('workloadSelector: {labels: {app: web}}, ', '');
    expect(JSON.stringify(inbound(shared))).toContain('/namespaces/shop/sidecar/web');
  });

  test('open their ports where nothing is redirected', () => {
    const push = meshOf(manifests + sidecar('{port: {number: 9080, protocol: TCP, name: in}, bind: 127.0.0.7}'));
    const listeners = listenersOf(push, web({ INTERCEPTION_MODE: 'NONE' }));
    expect(Object.keys(listeners)).toEqual(['127.0.0.1_9000', '127.0.0.1_80', '127.0.0.7_9080'].sort());
    expect(listeners['127.0.0.7_9080']).toMatchObject({
      address: { socketAddress: { address: '127.0.0.7', portValue: 9080 } },
      trafficDirection: 'INBOUND',
    });
  });

  test('may end TLS of their own, where the mesh leaves room for it', () => {
    const tls = sidecar(
      '{port: {number: 9080, protocol: HTTPS, name: in}, tls: {mode: SIMPLE, privateKey: /k, serverCertificate: /c}}',
    );
    const options = { environment: { ENABLE_TLS_ON_SIDECAR_INGRESS: 'true' } };
    const plain = inbound(tls + peerAuthentication('mtls: {mode: DISABLE}'), web(), options);
    expect(chainsOn(plain, 9080)).toEqual(['tls+tls  -> inline']);
    expect(JSON.stringify(plain)).toContain('file-cert:/c~/k');
    expect(chainsOn(inbound(tls, web(), options), 9080)).toEqual([
      `tls+tls ${MESH} -> inline`,
      'raw_buffer  -> inline',
    ]);
  });
});

test('clients must be of a trust domain of the mesh', () => {
  const mesh = 'trustDomain: a.mesh\ntrustDomainAliases: [b.mesh, a.mesh]';
  expect(JSON.stringify(inbound('', web(), { mesh }))).toContain(
    '"matchSubjectAltNames":[{"prefix":"spiffe://a.mesh/"},{"prefix":"spiffe://b.mesh/"}]',
  );
  const unchecked = inbound('', web(), { mesh, environment: { PILOT_SKIP_VALIDATE_TRUST_DOMAIN: 'true' } });
  expect(JSON.stringify(unchecked)).not.toContain('matchSubjectAltNames');
});
