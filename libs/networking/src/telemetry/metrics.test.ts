import { describe, expect, test } from '@jest/globals';
import { isKind, parseConfig, type TelemetryMetrics } from '@kedge/model';
import { mergeMetrics, type ProviderMetrics } from './metrics.ts';
import type { Side } from './workload-mode.ts';

function settings(metrics: readonly object[]): readonly TelemetryMetrics[] {
  const { config } = parseConfig({
    apiVersion: 'telemetry.istio.io/v1',
    kind: 'Telemetry',
    metadata: { name: 't', namespace: 'shop' },
    spec: { metrics },
  });
  if (!config || !isKind(config, 'Telemetry')) throw new Error('no Telemetry');
  return config.spec.metrics;
}

const merged = (metrics: readonly object[], side: Side = 'CLIENT'): Readonly<Record<string, ProviderMetrics>> =>
  Object.fromEntries(mergeMetrics(settings(metrics), ['default'], side));

const to = (...names: readonly string[]): object => ({ providers: names.map((name) => ({ name })) });
const NOTHING = { changes: [] };

describe('providers', () => {
  test('are the defaults where nobody names any', () => {
    expect(merged([])).toEqual({ default: NOTHING });
    expect(merged([{ reportingInterval: '5s' }])).toEqual({ default: { changes: [], reportingInterval: 5000 } });
  });

  test('are those of the narrowest setting that names some', () => {
    expect(merged([to('a'), to('b', 'c'), {}])).toEqual({ b: NOTHING, c: NOTHING });
  });

  test('count nothing on a side on which all metrics are disabled', () => {
    const off = { ...to('a'), overrides: [{ match: { mode: 'CLIENT' }, disabled: true }] };
    expect(merged([off])).toEqual({});
    expect(merged([off], 'SERVER')).toEqual({ a: NOTHING });
  });

  test('count again when a narrower setting says more of a metric', () => {
    const off = { ...to('a'), overrides: [{ disabled: true }] };
    const on = { overrides: [{ match: { metric: 'REQUEST_COUNT' }, disabled: false }] };
    expect(merged([off, on])).toEqual({ a: { changes: [{ name: 'requests_total', disabled: false, tags: {} }] } });
  });
});

describe('changes', () => {
  test('add up by metric, in the order of the metrics’ names', () => {
    const broad = {
      overrides: [{ match: { metric: 'REQUEST_SIZE' }, tagOverrides: { a: { value: '1' }, b: { value: '2' } } }],
    };
    const narrow = {
      overrides: [
        { match: { metric: 'REQUEST_SIZE' }, tagOverrides: { b: { operation: 'REMOVE' } } },
        { match: { metric: 'REQUEST_COUNT', mode: 'SERVER' }, disabled: true },
        { match: { customMetric: 'mine' }, disabled: true },
        { match: { metric: 'GRPC_REQUEST_MESSAGES' }, disabled: true },
      ],
    };
    expect(merged([broad, narrow]).default?.changes).toEqual([
      { name: 'request_messages_total', disabled: true, tags: {} },
      { name: 'request_bytes', disabled: false, tags: { a: { value: '1' }, b: { operation: 'REMOVE' } } },
      { name: 'mine', disabled: true, tags: {} },
    ]);
  });

  test('of all metrics are changes of each', () => {
    const { changes = [] } = merged([{ overrides: [{ tagOverrides: { a: { value: '1' } } }] }]).default ?? {};
    expect(changes).toHaveLength(10);
  });
});
