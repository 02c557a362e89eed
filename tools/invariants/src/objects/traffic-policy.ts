import fc from 'fast-check';
import { LOCALITIES, portNumber, fewOf, someOf } from './names.ts';

export const connectionPool = fc.oneof(
  fc.constantFrom(1, 100).map((maxConnections) => ({ tcp: { maxConnections } })),
  fc.constant({ tcp: { connectTimeout: '2s', tcpKeepalive: { probes: 3 } } }),
  fc.constantFrom('UPGRADE', 'DO_NOT_UPGRADE').map((h2UpgradePolicy) => ({ http: { h2UpgradePolicy } })),
  fc.constant({ http: { http1MaxPendingRequests: 5, maxRetries: 2, idleTimeout: '30s' } }),
);

const localitySetting = fc.oneof(
  fc.constant({ enabled: false }),
  fc.constant({ enabled: true }),
  fc.constant({ enabled: true, failover: [{ from: 'r1', to: 'r2' }] }),
  fc.constantFrom(...LOCALITIES).map((to) => ({ enabled: true, distribute: [{ from: 'r1/*', to: { [to]: 100 } }] })),
  fc.constant({ enabled: true, failoverPriority: ['topology.istio.io/network', 'version'] }),
);

const loadBalancer = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('RANDOM', 'ROUND_ROBIN', 'LEAST_REQUEST', 'PASSTHROUGH').map((simple) => ({ simple })),
      fc.constant({ consistentHash: { httpHeaderName: 'x-a' } }),
      fc.constant({ consistentHash: { useSourceIp: true, maglev: { tableSize: 101 } } }),
      fc.constant({ simple: 'ROUND_ROBIN', warmup: { duration: '10s' } }),
    ),
    fc.option(localitySetting, { nil: undefined }),
  )
  .map(([balancer, localityLbSetting]) => ({ ...balancer, ...(localityLbSetting && { localityLbSetting }) }));

const outlierDetection = fc.constantFrom(
  { consecutive5xxErrors: 3 },
  { interval: '5s', baseEjectionTime: '30s', maxEjectionPercent: 50, minHealthPercent: 40 },
);

const clientTls = fc.oneof(
  fc.constantFrom('DISABLE', 'ISTIO_MUTUAL').map((mode) => ({ mode })),
  fc.constant({ mode: 'SIMPLE', sni: 'x.example', caCertificates: '/etc/ca.pem' }),
  fc.constantFrom('cred-a', 'cred-b').map((credentialName) => ({ mode: 'SIMPLE', credentialName })),
  fc.constant({
    mode: 'MUTUAL',
    clientCertificate: '/etc/c.pem',
    privateKey: '/etc/k.pem',
    caCertificates: '/etc/ca.pem',
  }),
);

const settings = { loadBalancer, connectionPool, outlierDetection, tls: clientTls };

export const trafficPolicy = fc
  .tuple(
    fewOf(settings),
    someOf({
      portLevelSettings: fc
        .tuple(portNumber, fewOf(settings, 1))
        .map(([number, policy]) => [{ port: { number }, ...policy }]),
      proxyProtocol: fc.constant({ version: 'V1' }),
    }),
  )
  .map(([policy, more]) => ({ ...policy, ...more }));
