import { describe, expect, test } from '@jest/globals';
import { type MessageName, type Messages, packAny, validate } from '@kedge/envoy-api';
import { ENVOY_RULES } from './envoy-rules.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const LISTENER = 'envoy.config.listener.v3.Listener';
const ROUTES = 'envoy.config.route.v3.RouteConfiguration';
const ACTION = 'envoy.config.route.v3.RouteAction';
const MANAGER = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

const endpoint = (address: string, weight = 1) => ({
  endpoint: { address: { socketAddress: { address, portValue: 80 } } },
  loadBalancingWeight: weight,
});
const assignment = (...lbEndpoints: ReturnType<typeof endpoint>[]) => ({
  clusterName: 'x',
  endpoints: [{ lbEndpoints }],
});
const eds = { edsClusterConfig: { edsConfig: { ads: {} } } };
const adding = (value: string) => ({ requestHeadersToAdd: [{ header: { key: 'x', value } }] });

/** A message that Envoy takes, one that it refuses, and where. */
const row = <N extends MessageName>(type: N, good: Messages[N], bad: Messages[N], path: string) =>
  [`${type.slice(type.lastIndexOf('.') + 1)} ${path}`, type, good, bad, path] as const;

const rows = [
  row(
    CLUSTER,
    { name: 'x', connectTimeout: '9223372035s' },
    { name: 'x', connectTimeout: '9223372036s' },
    'connectTimeout',
  ),
  row(CLUSTER, { name: 'x', type: 'EDS', ...eds }, { name: 'x', type: 'EDS' }, 'edsClusterConfig'),
  row(CLUSTER, { name: 'x', type: 'EDS', ...eds }, { name: 'x', ...eds }, 'edsClusterConfig'),
  row(
    CLUSTER,
    { name: 'x', type: 'ORIGINAL_DST', lbPolicy: 'CLUSTER_PROVIDED' },
    { name: 'x', type: 'ORIGINAL_DST', lbPolicy: 'RANDOM' },
    'lbPolicy',
  ),
  row(
    CLUSTER,
    { name: 'x', type: 'LOGICAL_DNS', loadAssignment: assignment(endpoint('a')) },
    { name: 'x', type: 'LOGICAL_DNS', loadAssignment: assignment(endpoint('a'), endpoint('b')) },
    'loadAssignment',
  ),
  row(
    CLUSTER,
    { name: 'x', loadAssignment: assignment(endpoint('::1')) },
    { name: 'x', loadAssignment: assignment(endpoint('a')) },
    'loadAssignment',
  ),
  row(
    CLUSTER,
    { name: 'x', maglevLbConfig: { tableSize: '7' } },
    { name: 'x', maglevLbConfig: { tableSize: '1' } },
    'maglevLbConfig.tableSize',
  ),
  row(
    CLUSTER,
    { name: 'x', ringHashLbConfig: { maximumRingSize: '1024' } },
    { name: 'x', ringHashLbConfig: { maximumRingSize: '1023' } },
    'ringHashLbConfig.minimumRingSize',
  ),
  row(
    'envoy.config.endpoint.v3.ClusterLoadAssignment',
    assignment(endpoint('a', 0xffff_ffff)),
    assignment(endpoint('a', 0xffff_ffff), endpoint('b')),
    'endpoints',
  ),
  row(
    LISTENER,
    { address: { socketAddress: { address: '0.0.0.0', portValue: 1 } } },
    { address: { socketAddress: { address: 'a', portValue: 1 } } },
    'address',
  ),
  row(LISTENER, { internalListener: {} }, {}, 'address'),
  row(
    LISTENER,
    { address: { pipe: { path: `/${'a'.repeat(106)}` } } },
    { address: { pipe: { path: `/${'a'.repeat(107)}` } } },
    'address.pipe.path',
  ),
  row(
    'envoy.config.listener.v3.FilterChainMatch',
    { serverNames: ['a', '*.b'] },
    { serverNames: ['*b'] },
    'serverNames',
  ),
  row(
    MANAGER,
    { statPrefix: 'x', routeConfig: {}, upgradeConfigs: [{ upgradeType: 'a' }] },
    { statPrefix: 'x', routeConfig: {}, upgradeConfigs: [{ upgradeType: 'a' }, { upgradeType: 'A' }] },
    'upgradeConfigs',
  ),
  row(
    ROUTES,
    { virtualHosts: [{ name: 'x', domains: ['a', '*'] }] },
    { virtualHosts: [{ name: 'x', domains: ['a', 'A'] }] },
    'virtualHosts[0].domains',
  ),
  row(ROUTES, { requestHeadersToRemove: ['a'] }, { requestHeadersToRemove: ['Host'] }, 'requestHeadersToRemove'),
  row(ROUTES, adding('%REQ(a?:path):9% %%'), adding('%BOGUS%'), 'requestHeadersToAdd[0].header'),
  row(ACTION, { cluster: 'x', prefixRewrite: '/' }, { cluster: 'x', prefixRewrite: '/', regexRewrite: {} }, ''),
  row(
    ACTION,
    {
      weightedClusters: {
        clusters: [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 0 },
        ],
      },
    },
    { weightedClusters: { clusters: [{ name: 'a', weight: 0 }] } },
    'weightedClusters.clusters',
  ),
  row(
    'envoy.type.matcher.v3.RegexMatchAndSubstitute',
    { pattern: { regex: '(a)' }, substitution: String.raw`\1\\` },
    { pattern: { regex: '(a)' }, substitution: String.raw`\2` },
    'substitution',
  ),
  row('envoy.type.matcher.v3.RegexMatcher', { regex: 'a{1000}' }, { regex: 'a{1000}'.repeat(33) }, 'regex'),
  row(
    'envoy.config.core.v3.SubstitutionFormatString',
    { jsonFormat: { a: { b: '%PROTOCOL%' } } },
    { jsonFormat: { a: { b: ['%PROTOCOL(x)%'] } } },
    'jsonFormat',
  ),
  row('envoy.extensions.filters.http.lua.v3.Lua', { inlineCode: 'x = 1' }, { inlineCode: 'x' }, 'inlineCode'),
  row(
    'envoy.extensions.transport_sockets.tls.v3.CommonTlsContext',
    { validationContext: { trustedCa: { filename: '/ca' }, matchSubjectAltNames: [{ exact: 'a' }] } },
    { validationContext: { matchSubjectAltNames: [{ exact: 'a' }] } },
    'validationContext',
  ),
  row('envoy.config.listener.v3.Filter', { name: 'x', configDiscovery: {} }, { name: 'x' }, 'typedConfig'),
] as const;

describe('what Envoy takes, and what not', () => {
  test.each<readonly [string, MessageName, never, never, string]>(rows as never)(
    '%s',
    (_what, type, good, bad, path) => {
      const found = (message: never) => validate(type, message, ENVOY_RULES).filter(({ rule }) => rule === 'further');
      expect(found(good)).toEqual([]);
      expect(found(bad).map((finding) => finding.path)).toContain(path);
    },
  );

  test('in messages that are packed, too', () => {
    const manager = packAny(MANAGER, { statPrefix: 'x', stripAnyHostPort: true, stripMatchingHostPort: true });
    const chains = [{ filters: [{ name: 'x', typedConfig: manager }] }];
    const paths = validate(LISTENER, { internalListener: {}, filterChains: chains }, ENVOY_RULES).map(
      ({ path }) => path,
    );
    expect(paths).toContain('filterChains[0].filters[0].typedConfig');
  });
});
