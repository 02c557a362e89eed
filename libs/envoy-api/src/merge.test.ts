import { describe, expect, test } from '@jest/globals';
import { merge, packAny, unknownFields } from './index.ts';
import type { Cluster, MessageName, Messages } from './index.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';

describe('merge', () => {
  test.each<[string, MessageName, unknown, unknown, unknown]>([
    ['replaces scalars', CLUSTER, { name: 'a', altStatName: 's' }, { name: 'b' }, { name: 'b', altStatName: 's' }],
    ['ignores defaults without presence', CLUSTER, { name: 'a' }, { name: '' }, { name: 'a' }],
    [
      'replaces durations whole',
      CLUSTER,
      { connectTimeout: '10.500s' },
      { connectTimeout: '1s' },
      { connectTimeout: '1s' },
    ],
    [
      'merges into messages',
      CLUSTER,
      { outlierDetection: { interval: '1s', consecutive5xx: 3 } },
      { outlierDetection: { consecutive5xx: 5 } },
      { outlierDetection: { interval: '1s', consecutive5xx: 5 } },
    ],
    [
      'replaces wrappers',
      CLUSTER,
      { perConnectionBufferLimitBytes: 1 },
      { perConnectionBufferLimitBytes: 2 },
      { perConnectionBufferLimitBytes: 2 },
    ],
    [
      'keeps a wrapper that meets its default',
      CLUSTER,
      { waitForWarmOnInit: true },
      { waitForWarmOnInit: false },
      { waitForWarmOnInit: true },
    ],
    ['sets a wrapper to its default', CLUSTER, {}, { waitForWarmOnInit: false }, { waitForWarmOnInit: false }],
    [
      'appends to lists',
      CLUSTER,
      { filters: [{ name: 'a' }] },
      { filters: [{ name: 'b' }] },
      { filters: [{ name: 'a' }, { name: 'b' }] },
    ],
    ['ignores empty lists', CLUSTER, { filters: [{ name: 'a' }] }, { filters: [] }, { filters: [{ name: 'a' }] }],
    [
      'replaces map entries of the same key, and keeps the others',
      'envoy.config.core.v3.Metadata',
      { filterMetadata: { a: { x: 1, y: 1 }, b: { z: 1 } } },
      { filterMetadata: { a: { x: 2 } } },
      { filterMetadata: { a: { x: 2 }, b: { z: 1 } } },
    ],
    [
      'clears the other members of a oneof',
      CLUSTER,
      { type: 'EDS' },
      { clusterType: { name: 'x' } },
      { clusterType: { name: 'x' } },
    ],
    [
      'replaces an Any within a message',
      'envoy.config.core.v3.TransportSocket',
      socket({ sni: 'a', maxSessionKeys: 1 }),
      socket({ sni: 'b' }),
      socket({ sni: 'b' }),
    ],
    [
      'keeps an Any that meets an empty one of its type',
      'envoy.config.core.v3.TransportSocket',
      socket({ sni: 'a' }),
      socket({}),
      socket({ sni: 'a' }),
    ],
    ['merges structs by key', 'google.protobuf.Struct', { a: { x: 1 }, b: 1 }, { a: { y: 1 } }, { a: { y: 1 }, b: 1 }],
  ])('%s', (_, name, base, patch, expected) => {
    expect(merge(name, base as Messages[typeof name], patch as Messages[typeof name])).toEqual(expected);
  });

  test('replaces lists at every depth, by option', () => {
    const base: Cluster = {
      filters: [{ name: 'a' }],
      loadAssignment: { clusterName: 'c', endpoints: [{ priority: 1 }] },
    };
    const patch: Cluster = { loadAssignment: { endpoints: [{ priority: 2 }] } };
    expect(merge(CLUSTER, base, patch, { lists: 'replace' })).toEqual({
      filters: [{ name: 'a' }],
      loadAssignment: { clusterName: 'c', endpoints: [{ priority: 2 }] },
    });
  });

  test('merges two Anys of one type unpacked; another type replaces', () => {
    const base = tls({ sni: 'a', maxSessionKeys: 1 });
    expect(merge('google.protobuf.Any', base, tls({ sni: 'b' }))).toEqual(tls({ sni: 'b', maxSessionKeys: 1 }));
    const other = packAny('google.protobuf.StringValue', 'x');
    expect(merge('google.protobuf.Any', base, other)).toEqual(other);
    expect(merge('google.protobuf.Any', other, packAny('google.protobuf.StringValue', 'y'))).toEqual({
      ...other,
      value: 'y',
    });
  });

  test('changes neither input and shares what stays', () => {
    const base: Cluster = Object.freeze({
      name: 'a',
      loadAssignment: Object.freeze({ clusterName: 'c' }),
      filters: Object.freeze([]),
    });
    const merged = merge(CLUSTER, base, { name: 'b' });
    expect(merged.loadAssignment).toBe(base.loadAssignment);
    expect(base.name).toBe('a');
  });

  test('keeps the unknown fields of both', () => {
    const base = { name: 'a', [unknownFields]: Uint8Array.of(1) };
    const merged = merge(CLUSTER, base, { name: 'b', [unknownFields]: Uint8Array.of(2) } as Cluster);
    expect((merged as typeof base)[unknownFields]).toEqual(Uint8Array.of(1, 2));
  });
});

function tls(
  context: Messages['envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'],
): Messages['google.protobuf.Any'] {
  return packAny('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', context);
}

function socket(context: Parameters<typeof tls>[0]): object {
  return { name: 'tls', typedConfig: tls(context) };
}
