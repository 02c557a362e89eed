import { describe, expect, test } from '@jest/globals';
import { packAny, validate } from '../index.ts';
import type { FurtherRules, MessageName, Messages } from '../index.ts';

const found = <N extends MessageName>(name: N, message: Messages[N]): readonly string[] =>
  validate(name, message).map(({ path, rule }) => `${path}: ${rule}`);

const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const ROUTE = 'envoy.config.route.v3.Route';

describe('validate', () => {
  test('accepts a valid message', () => {
    expect(validate(CLUSTER, { name: 'x', connectTimeout: '1s', type: 'EDS' })).toEqual([]);
  });

  test('says what is wrong where', () => {
    expect(validate(CLUSTER, { name: 'x', connectTimeout: '0s' })).toEqual([
      { path: 'connectTimeout', rule: 'duration.gt', message: 'must be greater than 0s' },
    ]);
  });

  test('takes an absent field without presence as its default', () => {
    expect(found(CLUSTER, {})).toEqual(['name: string.min_len']);
    expect(found('envoy.config.route.v3.VirtualHost', { name: 'v' })).toEqual(['domains: repeated.min_items']);
  });

  test('does not apply value rules to what is absent', () => {
    expect(found('envoy.config.cluster.v3.OutlierDetection', {})).toEqual([]);
    expect(found('envoy.config.cluster.v3.OutlierDetection', { maxEjectionPercent: 101 })).toEqual([
      'maxEjectionPercent: uint32.lte',
    ]);
  });

  test('asks for required messages', () => {
    expect(found('envoy.config.core.v3.HealthCheck', { timeout: '1s', interval: '1s', tcpHealthCheck: {} })).toEqual([
      'unhealthyThreshold: message.required',
      'healthyThreshold: message.required',
    ]);
  });

  test('asks for required oneofs, but not for a member that was not chosen', () => {
    expect(found(ROUTE, { match: { prefix: '/' } })).toEqual(['action: required']);
    expect(found(ROUTE, { match: { prefix: '/' }, route: { cluster: 'x' } })).toEqual([]);
  });

  test('looks at elements, map keys and map values', () => {
    const host = { name: 'v', domains: ['*'], requestHeadersToRemove: ['ok', 'a\nb'] };
    expect(found('envoy.config.route.v3.VirtualHost', host)).toEqual([
      'requestHeadersToRemove[1]: string.well_known_regex',
    ]);
    expect(found('envoy.config.core.v3.Metadata', { filterMetadata: { '': {} } })).toEqual([
      'filterMetadata[""]: string.min_len',
    ]);
  });

  test('ignores empty values where the rule says so', () => {
    const name = 'envoy.config.core.v3.UpstreamHttpProtocolOptions';
    expect(found(name, { overrideAutoSniHeader: '' })).toEqual([]);
    expect(found(name, { overrideAutoSniHeader: 'a b' })).toEqual(['overrideAutoSniHeader: string.well_known_regex']);
  });

  test('looks for equal items', () => {
    const name = 'envoy.config.metrics.v3.HistogramBucketSettings';
    expect(found(name, { match: { exact: 'x' }, buckets: [1, 2] })).toEqual([]);
    expect(found(name, { match: { exact: 'x' }, buckets: [1, 1] })).toEqual(['buckets: repeated.unique']);
  });

  test('knows the numbers of enums', () => {
    expect(found(CLUSTER, { name: 'x', type: 99 })).toEqual(['type: enum.defined_only']);
    expect(found(CLUSTER, { name: 'x', type: 3 })).toEqual([]);
    const matcher = { matcher: { exact: 'x' } };
    expect(found('envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher', matcher)).toEqual([
      'sanType: enum.not_in',
    ]);
  });

  test('goes into nested messages and into Any', () => {
    const filter = { name: 'hcm', typedConfig: packAny('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {}) };
    expect(found('envoy.config.listener.v3.Listener', { filterChains: [{ filters: [filter] }] })).toEqual([
      'filterChains[0].filters[0].typedConfig.statPrefix: string.min_len',
      'filterChains[0].filters[0].typedConfig.cluster_specifier: required',
    ]);
  });

  test('asks further rules of messages of their type wherever they are, well-known ones included', () => {
    const filter = { name: 'x', typedConfig: packAny('envoy.extensions.filters.network.echo.v3.Echo', {}) };
    const listener = { listenerFiltersTimeout: '1s', filterChains: [{ filters: [filter] }] };
    const further: FurtherRules = {
      'google.protobuf.Duration': (duration) => [{ path: '', message: duration }],
      'envoy.extensions.filters.network.echo.v3.Echo': () => [{ path: 'member', message: 'is wrong' }],
    };
    expect(validate('envoy.config.listener.v3.Listener', listener, further)).toEqual([
      { path: 'filterChains[0].filters[0].typedConfig.member', rule: 'further', message: 'is wrong' },
      { path: 'listenerFiltersTimeout', rule: 'further', message: '1s' },
    ]);
  });
});
