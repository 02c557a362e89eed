import { funcType, intType, types, type GoType, type IntKind } from './type.ts';
import { GoBytes, GoInt, GoList, GoMap, stringList, typeOf, type Value } from './value.ts';

/** How values of a Go type are given to functions written in TypeScript, and taken from them. */
export interface Codec<T> {
  readonly type: GoType;
  /** The value is of the type, or nil where the type allows it. */
  decode(value: Value): T;
  encode(native: T): Value;
}

const integer = (kind: IntKind): Codec<bigint> => ({
  type: intType(kind),
  decode: (value) => (value instanceof GoInt ? value.value : typeof value === 'bigint' ? value : 0n),
  encode: (native) => (kind === 'int' ? BigInt.asIntN(64, native) : new GoInt(kind, native)),
});

const identity = <T extends Value>(type: GoType): Codec<T> => ({
  type,
  decode: (value) => value as T,
  encode: (native) => native,
});

const nilMap = new GoMap([], types.anyMap, undefined, true);

export const codecs = {
  any: identity<Value>(types.any),
  /** Tells an absent value (undefined) from nil. */
  value: identity<Value>(types.reflectValue),
  bool: identity<boolean>(types.bool),
  string: identity<string>(types.string),
  float64: identity<number>(types.float64),
  /** A Go int, for counts and offsets. */
  int: {
    type: types.int,
    decode: (value) => (typeof value === 'bigint' ? Number(value) : 0),
    encode: (native) => BigInt(native),
  } as Codec<number>,
  int64: integer('int64'),
  uint32: integer('uint32'),
  map: {
    type: types.anyMap,
    decode: (value) => (value instanceof GoMap ? value : nilMap),
    encode: (native) => native,
  } as Codec<GoMap>,
  list: {
    type: types.anyList,
    decode: (value) => (value instanceof GoList ? value.items : []),
    encode: (native) => new GoList(native),
  } as Codec<readonly Value[]>,
  strings: {
    type: types.stringList,
    decode: (value) => (value instanceof GoList ? (value.items as readonly string[]) : []),
    encode: (native) => stringList(native),
  } as Codec<readonly string[]>,
  ints: {
    type: types.intList,
    decode: (value) => (value instanceof GoList ? value.items.map(Number) : []),
    encode: (native) => new GoList(native.map(BigInt), types.intList),
  } as Codec<readonly number[]>,
  stringMap: {
    type: types.stringMap,
    decode: (value) => (value instanceof GoMap ? (value.entries as Map<string, string>) : new Map()),
    encode: (native) => new GoMap(native, types.stringMap),
  } as Codec<ReadonlyMap<string, string>>,
  /** A `[]byte`, as the text whose UTF-8 it is. */
  bytes: {
    type: types.bytes,
    decode: (value) => (value instanceof GoBytes ? value.text : ''),
    encode: (native) => new GoBytes(native),
  } as Codec<string>,
} as const;

/** A function that templates call, with the Go types of its parameters: arguments are checked against them first. */
export class GoFunction {
  readonly type: GoType;
  readonly params: readonly GoType[];
  /** Type of the further arguments, if it takes any number. */
  readonly rest: GoType | undefined;
  readonly result: GoType;
  readonly #call: (args: readonly Value[]) => Value;

  constructor(
    signature: { readonly params: readonly GoType[]; readonly rest?: GoType; readonly result: GoType },
    call: (args: readonly Value[]) => Value,
  ) {
    this.params = signature.params;
    this.rest = signature.rest;
    this.result = signature.result;
    this.#call = call;
    const names = [
      ...this.params.map(({ name }) => name),
      ...(this.rest === undefined ? [] : [`...${this.rest.name}`]),
    ];
    this.type = funcType(`func(${names.join(', ')}) ${this.result.name}`);
  }

  /** Arguments are of the right number and types. Throws a FunctionError. */
  call(args: readonly Value[]): Value {
    return this.#call(args);
  }

  /** Type of the argument at `index`. */
  paramType(index: number): GoType | undefined {
    return this.params[index] ?? this.rest;
  }
}

export type FunctionTable = Readonly<Record<string, GoFunction>>;

type Codecs = readonly Codec<unknown>[];
type Natives<C extends Codecs> = { -readonly [K in keyof C]: C[K] extends Codec<infer T> ? T : never };

const decodeAll = <C extends Codecs>(params: C, args: readonly Value[]): Natives<C> =>
  params.map((codec, index) => codec.decode(args[index])) as Natives<C>;

/** A function with a fixed number of parameters. */
export const fn = <const C extends Codecs, R>(
  params: C,
  result: Codec<R>,
  implementation: (...args: Natives<C>) => R,
): GoFunction =>
  new GoFunction({ params: params.map(({ type }) => type), result: result.type }, (args) =>
    result.encode(implementation(...decodeAll(params, args))),
  );

/** A function that takes any number of arguments after the fixed ones; it gets them as a list. */
export const variadic = <const C extends Codecs, T, R>(
  params: C,
  rest: Codec<T>,
  result: Codec<R>,
  implementation: (...args: [...Natives<C>, readonly T[]]) => R,
): GoFunction =>
  new GoFunction({ params: params.map(({ type }) => type), rest: rest.type, result: result.type }, (args) =>
    result.encode(
      implementation(
        ...decodeAll(params, args),
        args.slice(params.length).map((arg) => rest.decode(arg)),
      ),
    ),
  );

/** A function whose parameters aren't looked at: what is called with any value. */
export const constant = (value: Value): GoFunction =>
  new GoFunction({ params: [], result: typeOf(value) ?? types.any }, () => value);
