import { describe, expect, test } from '@jest/globals';
import { readSchema } from './findings.ts';
import { type Of, deprecated, enumeration, list, map, message, required, schemaFacts } from './message.ts';
import { bool, bytes, double, duration, int32, int64, string, struct, uint32 } from './scalars.ts';

const Inner = message({ hostName: string, port: uint32 }, ['hostName', 'port']);
const Outer = message({
  name: required(string, ''),
  inner: Inner,
  items: list(Inner),
  byName: map(Inner),
  mode: enumeration(['OFF', 'ON']),
  sparse: enumeration({ NONE: 0, ALL: 7 }),
  timeout: duration,
  data: bytes,
  anything: struct,
  old: deprecated(bool),
  ratio: double,
  count: int32,
  big: int64,
});

function read(value: unknown) {
  const { value: output, findings, unknown } = readSchema(Outer, value);
  return { output, problems: [...findings, ...unknown].map((f) => `${f.code} ${f.path.join('.')}`) };
}

describe('messages', () => {
  test('lists, maps and required scalars are filled in, other absent fields stay absent', () => {
    expect(read({}).output).toEqual({ name: '', items: [], byName: {} });
    expect(Object.keys(read({}).output ?? {}).sort()).toEqual(['byName', 'items', 'name']);
  });

  test('null is the same as absent', () => {
    expect(read({ name: null, inner: null, items: null })).toEqual(read({}));
  });

  test('names of the proto file are accepted and give JSON names', () => {
    expect(read({ by_name: { a_b: { host_name: 'h' } } }).output?.byName).toEqual({ a_b: { hostName: 'h' } });
  });

  test('a field in both its spellings is an error', () => {
    expect(read({ inner: { hostName: 'a', host_name: 'b' } }).problems).toEqual(['duplicate-field inner.hostName']);
  });

  test('numbers may be decimal strings', () => {
    expect(read({ count: '-3', ratio: '0.5', big: '12345678901' }).output).toMatchObject({
      count: -3,
      ratio: 0.5,
      big: 12345678901,
    });
  });

  test('enum numbers give names', () => {
    expect(read({ mode: 1, sparse: 7 }).output).toMatchObject({ mode: 'ON', sparse: 'ALL' });
  });

  test('durations are milliseconds', () => {
    expect(read({ timeout: '1.5s' }).output?.timeout).toBe(1500);
  });

  test('structs are kept as they are', () => {
    const anything = { some_key: null, list: [1, { a_b: true }] };
    expect(read({ anything })).toMatchObject({ output: { anything }, problems: [] });
  });

  test.each([
    [{ name: 5 }, 'wrong-type name'],
    [{ inner: [] }, 'wrong-type inner'],
    [{ items: {} }, 'wrong-type items'],
    [{ items: [{}, null] }, 'wrong-type items.1'],
    [{ count: 1.5 }, 'wrong-type count'],
    [{ count: 'x' }, 'wrong-type count'],
    [{ count: 2 ** 31 }, 'out-of-range count'],
    [{ inner: { port: -1 } }, 'out-of-range inner.port'],
    [{ mode: 'on' }, 'unknown-enum-value mode'],
    [{ mode: 12345 }, 'unknown-enum-value mode'],
    [{ sparse: 1 }, 'unknown-enum-value sparse'],
    [{ mode: true }, 'wrong-type mode'],
    [{ timeout: 'soon' }, 'invalid-value timeout'],
    [{ timeout: 5 }, 'wrong-type timeout'],
    [{ data: '%%%' }, 'invalid-value data'],
    [{ anything: 'text' }, 'invalid-value anything'],
    [{ inner: { hostName: 'h', port: 1 } }, 'oneof-conflict inner.port'],
    ['text', 'wrong-type '],
  ])('%j: %s', (value, problem) => {
    expect(read(value)).toEqual({ output: undefined, problems: [problem] });
  });

  test('unknown fields are found at any depth and do not keep the value from being made', () => {
    const { output, problems } = read({ nmae: 'x', items: [{ port: 1, x: 1 }], by_name: { k: { y: 1 } } });
    expect(problems).toEqual(['unknown-field nmae', 'unknown-field items.0.x', 'unknown-field byName.k.y']);
    expect(output?.items).toEqual([{ port: 1 }]);
  });

  test('a finding suggests the field that was meant', () => {
    expect(readSchema(Outer, { nmae: 'x' }).unknown[0]?.message).toBe('unknown field "nmae"; did you mean "name"?');
  });

  test('values are deeply frozen', () => {
    const { output } = read({ items: [{ port: 1 }] });
    expect([output, output?.items, output?.items[0], output?.byName].every(Object.isFrozen)).toBe(true);
  });

  test('schemas say what they consist of', () => {
    expect(schemaFacts(Outer).shape?.['inner']).toBe(Inner);
    expect(schemaFacts(Inner).oneOfs).toEqual([['hostName', 'port']]);
    expect(schemaFacts(schemaFacts(Outer).shape?.['old'] ?? string)).toEqual({ type: 'bool', deprecated: true });
    expect(schemaFacts(bool)).toEqual({ type: 'bool' });
  });

  test('types: lists and required fields are there, others may be absent', () => {
    const value: Of<typeof Outer> = { name: 'n', items: [], byName: {} };
    const mode: 'OFF' | 'ON' | undefined = value.mode;
    // @ts-expect-error values are read-only
    const write = () => (value.name = 'other');
    expect([mode, typeof write]).toEqual([undefined, 'function']);
  });
});
