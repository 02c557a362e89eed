import { compareText, utf8Encode } from '../text/utf8.ts';
import { type GoFunction } from './function.ts';
import { intType, types, type GoType, type IntKind } from './type.ts';

/**
 * A value as templates know it, with the Go type that it would have:
 *
 * | here | in Go |
 * |---|---|
 * | `undefined` | no value (an absent key, `reflect.Value{}`) |
 * | `null` | nil, of type `interface {}` |
 * | boolean, string | bool, string |
 * | number | float64: every number of JSON and YAML |
 * | bigint | int: a constant in a template, an index |
 * | `GoInt` | the other integer types |
 * | `GoList`, `GoMap` | slices and maps, `[]interface {}` and `map[string]interface {}` unless they say otherwise |
 * | `GoStruct` | anything with fields or methods |
 */
export type Value =
  undefined | null | boolean | string | number | bigint | GoInt | GoComplex | GoList | GoMap | GoStruct | GoFunction;

/** An integer of a type other than int. */
export class GoInt {
  readonly type: GoType;
  readonly value: bigint;

  /** The value wraps around at the type's size, as in Go. */
  constructor(kind: IntKind, value: bigint) {
    this.type = intType(kind);
    const bits = Number(/\d+$/.exec(kind)?.[0] ?? 64);
    this.value = kind.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
  }
}

export const int64 = (value: bigint): GoInt => new GoInt('int64', value);

export class GoComplex {
  readonly type = types.complex128;
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    this.real = real;
    this.imaginary = imaginary;
  }
}

/** Methods of a value, by name; each is bound to its receiver when it's asked for. */
export type Methods<T> = Readonly<Record<string, (self: T) => GoFunction>>;

export class GoList {
  readonly type: GoType;
  /** A slice that was never made, which JSON writes as null. */
  readonly isNil: boolean;
  readonly methods: Methods<GoList> | undefined;
  readonly #items: readonly Value[];

  constructor(items: readonly Value[], type: GoType = types.anyList, isNil = false, methods?: Methods<GoList>) {
    this.#items = items;
    this.type = type;
    this.isNil = isNil;
    this.methods = methods;
  }

  get items(): readonly Value[] {
    return this.#items;
  }
}

/** A `[]byte`: the text whose UTF-8 it is, and single bytes only if they are asked for. */
export class GoBytes extends GoList {
  readonly text: string;

  constructor(text: string) {
    super([], types.bytes);
    this.text = text;
  }

  override get items(): readonly Value[] {
    return Array.from(utf8Encode(this.text), (byte) => new GoInt('uint8', BigInt(byte)));
  }
}

/** A map with string keys. It can change: `set` and `unset` change their argument, as in Go. A `Map` of entries is used as it is. */
export class GoMap {
  readonly type: GoType;
  readonly entries: Map<string, Value>;
  readonly methods: Methods<GoMap> | undefined;
  readonly isNil: boolean;

  constructor(
    entries: Iterable<readonly [string, Value]>,
    type: GoType = types.anyMap,
    methods?: Methods<GoMap>,
    isNil = false,
  ) {
    this.entries = entries instanceof Map ? entries : new Map(entries);
    this.type = type;
    this.methods = methods;
    this.isNil = isNil;
  }

  /** In the order in which Go's `range` visits a map. */
  sortedKeys(): string[] {
    return [...this.entries.keys()].sort(compareText);
  }
}

/** A struct, or a pointer to one. */
export class GoStruct {
  readonly type: GoType;
  readonly fields: ReadonlyMap<string, Value>;
  readonly methods: Methods<GoStruct>;
  /** What JSON and YAML write for it, if that isn't its fields by name: text, or fields in order. */
  readonly json: string | readonly (readonly [string, Value])[] | undefined;

  constructor(
    type: GoType,
    fields: Readonly<Record<string, Value>>,
    methods: Methods<GoStruct> = {},
    json?: string | readonly (readonly [string, Value])[],
  ) {
    this.type = type;
    this.json = json;
    this.fields = new Map(Object.entries(fields));
    this.methods = methods;
  }

  /** What `fmt` prints for it: the answer of its String method. Undefined without one. */
  toText(): string | undefined {
    const text = this.methods['String']?.(this).call([]);
    return typeof text === 'string' ? text : undefined;
  }
}

/** The type of a value; undefined for nil, which has none. */
export const typeOf = (value: Value): GoType | undefined => {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'boolean':
      return types.bool;
    case 'string':
      return types.string;
    case 'number':
      return types.float64;
    case 'bigint':
      return types.int;
    default:
      return value?.type;
  }
};

/** `%T`. */
export const typeName = (value: Value): string => typeOf(value)?.name ?? '<nil>';

/** The integer that a value is, whatever its size; undefined for others. */
export const integerOf = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof GoInt ? value.value : undefined;

export const stringList = (items: readonly string[], isNil = false): GoList =>
  new GoList(items, types.stringList, isNil);
