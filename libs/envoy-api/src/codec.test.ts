import { describe, expect, test } from '@jest/globals';
import { decode, decodeAny, DecodeError, encode, encodeAny, packAny, unknownFields, unpackAny } from './index.ts';
import type { Any, Cluster, MessageName, Messages } from './index.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytesOf = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('encode', () => {
  test('writes fields by number, whatever the order of members', () => {
    const bytes = encode('envoy.config.core.v3.HeaderValue', { value: 'v', key: 'k' });
    expect(hex(bytes)).toBe('0a016b' + '120176');
  });

  test('leaves out defaults without presence and keeps those with it', () => {
    expect(encode('envoy.config.core.v3.SocketAddress', { address: '', ipv4Compat: false }).length).toBe(0);
    expect(hex(encode('envoy.config.core.v3.SocketAddress', { portValue: 0 }))).toBe('1800');
    expect(hex(encode('envoy.config.cluster.v3.Cluster', { type: 'STATIC' }))).toBe('1000');
    expect(hex(encode('istio.workload.NetworkAddress', { length: 0 }))).toBe('1800');
    expect(hex(encode('envoy.config.cluster.v3.Cluster', { perConnectionBufferLimitBytes: 0 }))).toBe('2a00');
  });

  test('sorts the keys of maps', () => {
    const one = encode('envoy.config.core.v3.Metadata', { filterMetadata: { a: { x: 1, y: 2 }, b: {} } });
    const other = encode('envoy.config.core.v3.Metadata', { filterMetadata: { b: {}, a: { y: 2, x: 1 } } });
    expect(hex(one)).toBe(hex(other));
  });

  test('takes 64-bit integers as strings, numbers and bigints, and bytes as base64 and arrays', () => {
    const loose = <N extends MessageName>(name: N, message: unknown): string =>
      hex(encode(name, message as Messages[N]));
    const range = (start: unknown): string => loose('envoy.type.v3.Int64Range', { start });
    expect([range(-1), range('-1'), range(-1n)]).toEqual(Array(3).fill('08ffffffffffffffffff01'));
    expect(loose('envoy.config.core.v3.DataSource', { inlineBytes: Buffer.from('ab') })).toBe(
      hex(encode('envoy.config.core.v3.DataSource', { inlineBytes: 'YWI=' })),
    );
  });

  test.each<[string, MessageName, unknown]>([
    ['an unknown member', 'envoy.config.cluster.v3.Cluster', { nam: 'x' }],
    ['a string for a number', 'envoy.config.core.v3.SocketAddress', { portValue: '80' }],
    ['a number for a string', 'envoy.config.core.v3.SocketAddress', { address: 1 }],
    ['an integer out of range', 'envoy.config.core.v3.SocketAddress', { portValue: 2 ** 32 }],
    ['an unknown enum name', 'envoy.config.cluster.v3.Cluster', { type: 'EDSS' }],
    ['a malformed duration', 'envoy.config.cluster.v3.Cluster', { connectTimeout: '1m' }],
    ['a message for a list', 'envoy.config.cluster.v3.Cluster', { filters: {} }],
    ['an Any of an unknown type', 'google.protobuf.Any', { '@type': 'type.googleapis.com/no.Such' }],
  ])('refuses %s', (_, name, message) => {
    expect(() => encode(name, message as Messages[typeof name])).toThrow(TypeError);
    // A failure leaves nothing behind for the next call.
    expect(hex(encode('google.protobuf.StringValue', 'ok'))).toBe('0a026f6b');
  });

  test('grows its buffer', () => {
    const text = 'é'.repeat(200_000);
    expect(decode('google.protobuf.StringValue', encode('google.protobuf.StringValue', text))).toBe(text);
  });
});

describe('decode', () => {
  test('keeps fields that it does not know, and encode writes them again', () => {
    const bytes = bytesOf('0a 01 78' + 'fa7f 03 616263' + 'c03e 05');
    const cluster = decode('envoy.config.cluster.v3.Cluster', bytes);
    expect(cluster.name).toBe('x');
    expect(hex((cluster as { [unknownFields]?: Uint8Array })[unknownFields] ?? new Uint8Array())).toBe(
      'fa7f03616263c03e05',
    );
    expect(hex(encode('envoy.config.cluster.v3.Cluster', cluster))).toBe(hex(bytes));
    expect(hex(encode('envoy.config.cluster.v3.Cluster', { ...cluster }))).toBe(hex(bytes));
    expect(JSON.stringify(cluster)).toBe('{"name":"x"}');
  });

  test('keeps the content of an Any whose type it does not know', () => {
    const bytes = encode('google.rpc.Status', { details: [packAny('google.rpc.Status', { code: 5 })] });
    const renamed = Buffer.from(Buffer.from(bytes).toString('latin1').replace('Status', 'Sta2us'), 'latin1');
    const status = decode('google.rpc.Status', renamed);
    expect(status.details?.[0]?.['@type']).toBe('type.googleapis.com/google.rpc.Sta2us');
    expect(hex(encode('google.rpc.Status', status))).toBe(hex(renamed));
  });

  test('merges a message that comes in parts; the last member of a oneof wins', () => {
    const a = encode('envoy.config.core.v3.Node', { locality: { region: 'r' } });
    const b = encode('envoy.config.core.v3.Node', { locality: { zone: 'z' } });
    expect(decode('envoy.config.core.v3.Node', Buffer.concat([a, b]))).toEqual({
      locality: { region: 'r', zone: 'z' },
    });
    const port = encode('envoy.config.core.v3.SocketAddress', { portValue: 1 });
    const named = encode('envoy.config.core.v3.SocketAddress', { namedPort: 'http' });
    expect(decode('envoy.config.core.v3.SocketAddress', Buffer.concat([port, named]))).toEqual({ namedPort: 'http' });
  });

  test('reads packed and unpacked lists alike', () => {
    const name = 'google.protobuf.SourceCodeInfo.Location';
    expect(decode(name, bytesOf('0a 02 01 02'))).toEqual({ path: [1, 2] });
    expect(decode(name, bytesOf('08 01 08 02'))).toEqual({ path: [1, 2] });
  });

  test('reads enums without a name as numbers', () => {
    expect(decode('envoy.config.cluster.v3.Cluster', bytesOf('10 63'))).toEqual({ type: 99 });
    expect(hex(encode('envoy.config.cluster.v3.Cluster', { type: 99 }))).toBe('1063');
  });

  test('prints 32-bit floats with the digits they have', () => {
    expect(decode('google.protobuf.FloatValue', encode('google.protobuf.FloatValue', 0.1))).toBe(0.1);
  });

  test.each([
    ['a length beyond the end', '0a 05 61'],
    ['a varint without end', '10 ff'],
    ['a varint that is too long', '10 ff ff ff ff ff ff ff ff ff ff ff 01'],
    ['an unknown wire type', '0f'],
    ['a nested message that is cut', '1a 02 0a 05'],
  ])('refuses %s', (_, bytes) => {
    expect(() => decode('envoy.config.cluster.v3.Cluster', bytesOf(bytes))).toThrow(DecodeError);
  });

  test('refuses nesting without end', () => {
    let value: Messages['google.protobuf.Value'] = 1;
    for (let i = 0; i < 500; i++) value = [value];
    expect(() => decode('google.protobuf.Value', encode('google.protobuf.Value', value))).toThrow('nested more than');
  });

  test('gives `__proto__` as a key like any other', () => {
    const struct = JSON.parse('{"__proto__": {"polluted": true}}') as Messages['google.protobuf.Struct'];
    const decoded = decode('google.protobuf.Struct', encode('google.protobuf.Struct', struct));
    expect(Object.keys(decoded)).toEqual(['__proto__']);
    expect((decoded as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('Any', () => {
  test('holds messages with their fields beside @type, well-known types as value', () => {
    const cluster: Cluster = { name: 'x', connectTimeout: '1.500s' };
    const packed = packAny('envoy.config.cluster.v3.Cluster', cluster);
    expect(packed).toEqual({ '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', ...cluster });
    expect(decodeAny(encodeAny(packed))).toEqual(packed);
    const value = packAny('google.protobuf.StringValue', 'x');
    expect(value).toEqual({ '@type': 'type.googleapis.com/google.protobuf.StringValue', value: 'x' });
    expect(decodeAny(encodeAny(value))).toEqual(value);
  });

  test('is unpacked where the type is the expected one', () => {
    const packed = packAny('envoy.config.cluster.v3.Cluster', { name: 'x' });
    expect(unpackAny('envoy.config.cluster.v3.Cluster', packed)?.name).toBe('x');
    expect(unpackAny('envoy.config.listener.v3.Listener', packed)).toBeUndefined();
    expect(unpackAny('google.protobuf.StringValue', packAny('google.protobuf.StringValue', 'x'))).toBe('x');
  });

  test('may be empty', () => {
    expect(encodeAny({} as unknown as Any).length).toBe(0);
    expect(decodeAny(new Uint8Array())).toEqual({});
  });
});
