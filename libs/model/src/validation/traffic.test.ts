import { describe } from '@jest/globals';
import type { JsonObject } from '../parse/json.ts';
import { testRows } from './testing/rows.ts';

const rule = (trafficPolicy: JsonObject, more: JsonObject = {}): JsonObject => ({
  host: 'web',
  trafficPolicy,
  ...more,
});
const P = 'spec.trafficPolicy';

describe('DestinationRule', () => {
  testRows('DestinationRule', [
    ['a host alone', { host: 'web' }],
    ['no host', {}, 'error invalid-host spec.host'],
    ['a policy without settings', rule({}), `error empty ${P}`],
    ['tunnel and proxy protocol', rule({ tunnel: { targetHost: 'a', targetPort: 1 }, proxyProtocol: {} }), `error conflicting-fields ${P}`], // prettier-ignore
    ['a tunnel to nowhere', rule({ tunnel: { targetHost: '-', targetPort: 0, protocol: 'GET' } }), `error invalid-protocol ${P}.tunnel.protocol`, `error invalid-host ${P}.tunnel.targetHost`, `error invalid-port ${P}.tunnel.targetPort`], // prettier-ignore
    ['subsets of one name', { host: 'web', subsets: [{ name: 'v1' }, { name: 'v1' }] }, 'error duplicate-subset spec.subsets[1].name'], // prettier-ignore
    ['a subset without name', { host: 'web', subsets: [{}] }, 'error invalid-subset spec.subsets[0].name'],
    [
      'a selector without labels',
      { host: 'web', workloadSelector: {} },
      'warning selector-without-labels spec.workloadSelector',
    ],
    ['a selector, exported', { host: 'web', workloadSelector: { matchLabels: { a: 'b' } }, exportTo: ['*'] }, 'error invalid-export-to spec.exportTo'], // prettier-ignore
    ['a selector, for its namespace', { host: 'web', workloadSelector: { matchLabels: { a: 'b' } }, exportTo: ['.'] }],
    ['ports without port', rule({ portLevelSettings: [{ tls: {} }] }), `error required ${P}.portLevelSettings[0]`],
    ['a doubtful setting of the whole', rule({ outlierDetection: { consecutiveErrors: 1 } }), `warning deprecated-field ${P}.outlierDetection.consecutiveErrors`], // prettier-ignore
    ['the same of a port', rule({ portLevelSettings: [{ port: { number: 80 }, outlierDetection: { consecutiveErrors: 1 } }] })], // prettier-ignore
  ]);
});

describe('connections and outliers', () => {
  const pool = (connectionPool: JsonObject): JsonObject => rule({ connectionPool });
  const at = `${P}.connectionPool`;
  testRows('DestinationRule', [
    ['an empty pool', pool({}), `error empty ${at}`],
    ['negative limits', pool({ http: { maxRetries: -1 }, tcp: { maxConnections: -1 } }), `error out-of-range ${at}.http.maxRetries`, `error out-of-range ${at}.tcp.maxConnections`], // prettier-ignore
    ['an idle timeout of 0, which is off', pool({ tcp: { idleTimeout: '0s' } })],
    ['keepalive by halves', pool({ http: { http2KeepAlive: { interval: '1s' } } }), `error required ${at}.http.http2KeepAlive.timeout`], // prettier-ignore
    ['an upgrade of what must stay', pool({ http: { h2UpgradePolicy: 'UPGRADE', useClientProtocol: true } }), `error conflicting-fields ${at}.http`], // prettier-ignore
    ['percentages', rule({ outlierDetection: { maxEjectionPercent: 101, interval: '0.1ms' } }), `error invalid-duration ${P}.outlierDetection.interval`, `error out-of-range ${P}.outlierDetection.maxEjectionPercent`], // prettier-ignore
    ['local failures not split', rule({ outlierDetection: { consecutiveLocalOriginFailures: 3 } }), `error ineffective-field ${P}.outlierDetection.consecutiveLocalOriginFailures`], // prettier-ignore
  ]);
});

describe('load balancing', () => {
  const lb = (loadBalancer: JsonObject, more: JsonObject = {}): JsonObject => rule({ loadBalancer, ...more });
  const outlierDetection = { interval: '1s' };
  const distribute = (...to: JsonObject[]): JsonObject =>
    lb({ localityLbSetting: { distribute: to.map((weights, i) => ({ from: `r${i}`, to: weights })) } });
  const at = `${P}.loadBalancer`;
  testRows('DestinationRule', [
    ['a cookie without name', lb({ consistentHash: { httpCookie: {} } }), `error required ${at}.consistentHash.httpCookie.name`], // prettier-ignore
    ['a Maglev table that is not prime', lb({ consistentHash: { maglev: { tableSize: 4 } } }), `error out-of-range ${at}.consistentHash.maglev.tableSize`], // prettier-ignore
    ['a Maglev table that is prime', lb({ consistentHash: { maglev: { tableSize: 65537 } } })],
    ['an old ring size beside a ring', lb({ consistentHash: { ringHash: {}, minimumRingSize: 9 } }), `warning deprecated-field ${at}.consistentHash.minimumRingSize`, `error conflicting-fields ${at}.consistentHash.minimumRingSize`], // prettier-ignore
    ['warm-up', lb({ warmup: { minimumPercent: 101, aggression: 0 } }), `error required ${at}.warmup.duration`, `error out-of-range ${at}.warmup.minimumPercent`, `error out-of-range ${at}.warmup.aggression`], // prettier-ignore
    ['shares of the whole', distribute({ 'r0/*': 80, r1: 20 })],
    ['shares that make less', distribute({ r0: 80 }), `error invalid-weight ${at}.localityLbSetting.distribute[0].to`],
    ['localities that overlap', distribute({ 'r0/z': 80, r0: 20 }), `error invalid-locality ${at}.localityLbSetting.distribute[0].to`], // prettier-ignore
    ['failover unseen', lb({ localityLbSetting: { failover: [{ from: 'a', to: 'b' }] } }), `warning failover-without-outlier-detection ${at}.localityLbSetting`], // prettier-ignore
    ['failover to itself', lb({ zoneAwareLbSetting: { failover: [{ from: 'a', to: 'a' }] } }, { outlierDetection }), `error invalid-locality ${at}.zoneAwareLbSetting.failover[0]`], // prettier-ignore
  ]);
});

describe('TLS towards a destination', () => {
  const tls = (settings: JsonObject): JsonObject => rule({ tls: settings });
  const at = `${P}.tls`;
  testRows('DestinationRule', [
    ['mutual TLS without certificate', tls({ mode: 'MUTUAL' }), `error required ${at}.clientCertificate`, `error required ${at}.privateKey`], // prettier-ignore
    [
      'secret and files',
      tls({ mode: 'SIMPLE', credentialName: 'a', caCertificates: '/a' }),
      `error conflicting-fields ${at}`,
    ],
    ['a CA that nobody checks', tls({ mode: 'SIMPLE', insecureSkipVerify: true, caCertificates: '/a' }), `error conflicting-fields ${at}`], // prettier-ignore
    ['a ConfigMap of its namespace', tls({ mode: 'SIMPLE', credentialName: 'configmap://shop/ca' })],
    ['a ConfigMap of another', tls({ mode: 'SIMPLE', credentialName: 'configmap://bank/ca' }), `error invalid-credential ${at}.credentialName`], // prettier-ignore
  ]);
});
