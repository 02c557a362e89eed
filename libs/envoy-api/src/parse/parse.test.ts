import { describe, expect, test } from '@jest/globals';
import { parse } from '../index.ts';
import type { MessageName, ParseError } from '../index.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';

function errorsOf(name: MessageName, input: unknown): readonly ParseError[] {
  const result = parse(name, input);
  return result.ok ? [] : result.errors;
}

describe('parse accepts', () => {
  test.each<[string, MessageName, unknown, unknown]>([
    ['names of the .proto', CLUSTER, { connect_timeout: '1s' }, { connectTimeout: '1s' }],
    ['enums by number', CLUSTER, { type: 3 }, { type: 'EDS' }],
    ['enums by number in a string', CLUSTER, { type: '3' }, { type: 'EDS' }],
    ['enums that have no name', CLUSTER, { type: 99 }, { type: 99 }],
    ['null as absent', CLUSTER, { name: null, filters: null, connectTimeout: null }, {}],
    ['null as a JSON value', 'google.protobuf.Struct', { a: null }, { a: null }],
    ['empty lists and maps as absent', CLUSTER, { filters: [], typedExtensionProtocolOptions: {} }, {}],
    ['defaults without presence as absent', CLUSTER, { name: '', lbPolicy: 'ROUND_ROBIN' }, {}],
    [
      'defaults with presence',
      CLUSTER,
      { type: 'STATIC', waitForWarmOnInit: false },
      { type: 'STATIC', waitForWarmOnInit: false },
    ],
    ['numbers in strings', 'envoy.config.core.v3.SocketAddress', { portValue: '80' }, { portValue: 80 }],
    ['integers with a fraction of zero', 'google.protobuf.UInt32Value', '8.0', 8],
    ['64-bit integers as numbers', 'envoy.type.v3.Int64Range', { end: 7 }, { end: '7' }],
    ['durations of any precision', CLUSTER, { connectTimeout: '1.5s' }, { connectTimeout: '1.500s' }],
    ['base64 for URLs without padding', 'google.protobuf.BytesValue', '_-8', '/+8='],
    [
      'Empty in an Any without value',
      'google.protobuf.Any',
      { '@type': 'x/google.protobuf.Empty' },
      { '@type': 'x/google.protobuf.Empty', value: {} },
    ],
    ['both infinities', 'google.protobuf.DoubleValue', '-Infinity', '-Infinity'],
  ])('%s', (_, name, input, message) => {
    expect(parse(name, input)).toEqual({ ok: true, message });
  });
});

describe('parse refuses', () => {
  test.each<[string, MessageName, unknown, string, RegExp]>([
    ['a misspelt field', CLUSTER, { conectTimeout: '1s' }, 'conectTimeout', /did you mean connectTimeout/],
    ['a misspelt enum', CLUSTER, { type: 'EDSS' }, 'type', /did you mean EDS/],
    ['text for a number', 'envoy.config.core.v3.SocketAddress', { portValue: 'http' }, 'portValue', /unsigned 32-bit/],
    [
      'a negative unsigned number',
      'envoy.config.core.v3.SocketAddress',
      { portValue: -1 },
      'portValue',
      /unsigned 32-bit/,
    ],
    ['a number for text', CLUSTER, { name: 1 }, 'name', /not a string/],
    ['text for a boolean', CLUSTER, { waitForWarmOnInit: 'true' }, 'waitForWarmOnInit', /true or false/],
    ['a duration without unit', CLUSTER, { connectTimeout: '1' }, 'connectTimeout', /not a duration/],
    ['a message for a list', CLUSTER, { filters: {} }, 'filters', /not a list/],
    ['a list for a map', CLUSTER, { typedExtensionProtocolOptions: [] }, 'typedExtensionProtocolOptions', /not a map/],
    ['text for a message', CLUSTER, { loadAssignment: 'x' }, 'loadAssignment', /not a envoy.config.endpoint/],
    ['null in a list', CLUSTER, { filters: [null] }, 'filters[0]', /not a envoy.config.cluster.v3.Filter/],
    [
      'two members of a oneof',
      CLUSTER,
      { type: 'EDS', clusterType: {} },
      'clusterType',
      /only one of type and clusterType/,
    ],
    ['a field in both spellings', CLUSTER, { lb_policy: 1, lbPolicy: 2 }, 'lbPolicy', /given twice/],
    ['an Any without @type', CLUSTER, { filters: [{ typedConfig: { a: 1 } }] }, 'filters[0].typedConfig', /@type/],
    [
      'an Any of an unknown type',
      'google.protobuf.Any',
      { '@type': 'x/envoy.config.cluster.v3.Clustr' },
      '@type',
      /mean envoy.config.cluster.v3.Cluster/,
    ],
    [
      'a misspelt field in an Any',
      'google.protobuf.Any',
      { '@type': 'x/envoy.config.cluster.v3.Cluster', nam: 'x' },
      'nam',
      /mean name/,
    ],
    [
      'fields beside the value of a well-known type',
      'google.protobuf.Any',
      { '@type': 'x/google.protobuf.StringValue', value: 'x', a: 1 },
      'a',
      /given as value/,
    ],
    ['broken base64', 'google.protobuf.BytesValue', 'a b', '', /base64/],
    ['a key of another type', 'google.protobuf.Struct', [], '', /not an object/],
  ])('%s', (_, name, input, path, message) => {
    expect(errorsOf(name, input)).toEqual([expect.objectContaining({ path, message: expect.stringMatching(message) })]);
  });

  test('everything that is wrong at once, each with its place', () => {
    const errors = errorsOf('envoy.config.listener.v3.Listener', {
      nam: 'x',
      filterChains: [
        { filters: [{ typedConfig: { '@type': 'x/envoy.config.core.v3.Metadata', filterMetadata: { 'a/b': 1 } } }] },
      ],
      address: { socketAddress: { portValue: {} } },
    });
    expect(errors.map((e) => e.path)).toEqual([
      'nam',
      'filterChains[0].filters[0].typedConfig.filterMetadata["a/b"]',
      'address.socketAddress.portValue',
    ]);
  });

  test('unknown fields so that callers can tell them from wrong values', () => {
    const errors = errorsOf(CLUSTER, { nam: 'x', connectTimeout: 1, type: 'EDSS' });
    expect(errors.map((e) => [e.path, e.unknownField])).toEqual([
      ['nam', true],
      ['connectTimeout', undefined],
      ['type', undefined],
    ]);
  });
});
