import { z } from 'zod';
import { isJsonObject } from './json.ts';

/** A schema that takes anything and gives a `T` or issues. */
export type Schema<T> = z.ZodType<T, unknown>;

/** A field that is there in every parsed value, because its absence has a value of its own. */
export type Filled<T> = z.ZodDefault<Schema<T>>;

/** Fields by JSON name. */
export type Shape = Readonly<Record<string, z.ZodType>>;

type FilledKeys<S extends Shape> = { [K in keyof S]: S[K] extends z.ZodDefault ? K : never }[keyof S];
type Flat<T> = { readonly [K in keyof T]: T[K] };

/**
 * The value of a message: lists and maps are always there (maybe empty), {@link required} scalars too (maybe their zero
 * value). Every other field is absent when the input has none; zero values are never filled in.
 */
export type MessageOutput<S extends Shape> = Flat<
  { readonly [K in FilledKeys<S>]: z.output<S[K]> } & {
    readonly [K in Exclude<keyof S, FilledKeys<S>>]?: z.output<S[K]>;
  }
>;

/** The value type of a schema. */
export type Of<S extends z.ZodType> = z.output<S>;

/** Names of fields of which at most one may be set. */
export type OneOf = readonly string[];

/** What a schema is of, in the terms of protobuf. */
export type SchemaType =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'enum'
  | 'int32'
  | 'int64'
  | 'list'
  | 'map'
  | 'message'
  | 'string'
  | 'struct'
  | 'uint32'
  | 'uint64';

/** What a schema says beyond the values it accepts; read with {@link schemaFacts}. */
export interface SchemaFacts {
  readonly type?: SchemaType;
  /** Of a field: it still works, but should not be used any more. */
  readonly deprecated?: boolean;
  /** Of a field: the Kubernetes API server refuses an object that lacks it. */
  readonly required?: boolean;
  /** Of a message: its fields by JSON name. */
  readonly shape?: Shape;
  /** Of a message: its protobuf oneofs. */
  readonly oneOfs?: readonly OneOf[];
  /** Of a list or a map: the schema of its elements. */
  readonly element?: z.ZodType;
  /** Of an enum: its names in the order of their numbers. */
  readonly names?: readonly string[];
}

const facts = new WeakMap<z.ZodType, SchemaFacts>();
const NO_FACTS: SchemaFacts = {};

export function schemaFacts(schema: z.ZodType): SchemaFacts {
  return facts.get(schema) ?? NO_FACTS;
}

/** The same schema with more facts than it has. */
export function withFacts<S extends z.ZodType>(schema: S, more: SchemaFacts): S {
  const described = schema.clone();
  facts.set(described, { ...schemaFacts(schema), ...more });
  return described;
}

/**
 * A protobuf message in its JSON form, read as protobuf JSON does: names in lowerCamelCase or as in the proto file, null
 * the same as absent. More than one field of a oneof is an issue; fields that are not known are left out (`readSchema`
 * finds them). All fields are optional except lists, maps and {@link required} ones, which are filled in.
 */
export function message<S extends Shape>(shape: S, ...oneOfs: readonly OneOf[]): Schema<MessageOutput<S>> {
  const fields: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries(shape)) {
    fields[name] = field instanceof z.ZodDefault ? field : field.optional();
  }
  let object: z.ZodType = z.object(fields);
  if (oneOfs.length > 0) {
    object = object.superRefine((value, context) => {
      for (const oneOf of oneOfs) checkOneOf(oneOf, value as Record<string, unknown>, context);
    });
  }
  const schema = z.preprocess((value, context) => toJsonNames(value, shape, context), object.readonly());
  return withFacts(schema as unknown as Schema<MessageOutput<S>>, { type: 'message', shape, oneOfs });
}

function checkOneOf(oneOf: OneOf, value: Record<string, unknown>, context: z.RefinementCtx): void {
  const [first, second] = oneOf.filter((name) => value[name] !== undefined);
  if (first === undefined || second === undefined) return;
  const message = `at most one of ${oneOf.join(', ')} may be set, not both ${first} and ${second}`;
  context.addIssue({ code: 'custom', path: [second], message, params: { rule: 'oneof-conflict' } });
}

/** Only objects that are not in the plain form already are copied. */
function toJsonNames(value: unknown, shape: Shape, context: z.RefinementCtx): unknown {
  if (!isJsonObject(value)) return value;
  if (Object.entries(value).every(([key, field]) => field !== null && Object.hasOwn(shape, key))) return value;
  const fields: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const name = fieldName(key, shape);
    if (field === null || name === undefined) continue;
    if (Object.hasOwn(fields, name)) {
      const message = 'the field is given twice, in both its spellings';
      context.addIssue({ code: 'custom', path: [name], message, params: { rule: 'duplicate-field' } });
    }
    fields[name] = field;
  }
  return fields;
}

/** The JSON name of the field that a key means: the key itself or, for its name in the proto file, in lowerCamelCase. */
export function fieldName(key: string, shape: Shape): string | undefined {
  if (Object.hasOwn(shape, key)) return key;
  const name = jsonName(key);
  return Object.hasOwn(shape, name) ? name : undefined;
}

/** The lowerCamelCase JSON name of a field's name in the proto file. */
export function jsonName(protoName: string): string {
  return protoName.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const NONE: readonly never[] = Object.freeze([]);
const EMPTY: Readonly<Record<string, never>> = Object.freeze({});

/** A repeated field: an empty list when absent. */
export function list<T>(item: Schema<T>): Filled<readonly T[]> {
  const schema = z
    .array(item)
    .readonly()
    .default(() => NONE);
  return withFacts(schema as unknown as Filled<readonly T[]>, { type: 'list', element: item });
}

/** A map field: an empty record when absent; with at least so many entries where it is given. */
export function map<T>(value: Schema<T>, minimum = 0): Filled<Readonly<Record<string, T>>> {
  const record = z.record(z.string(), value);
  const tooFew = `must have at least ${minimum} entry, or be left out`;
  const schema = (minimum > 0 ? record.refine((entries) => Object.keys(entries).length >= minimum, tooFew) : record)
    .readonly()
    .default(() => EMPTY);
  return withFacts(schema as unknown as Filled<Readonly<Record<string, T>>>, { type: 'map', element: value });
}

/**
 * A field that an object cannot do without: the API server refuses one that lacks it, validation reports it. A scalar is
 * given its zero value, so that it is always there.
 */
export function required<S extends z.ZodType>(field: S): S;
export function required<T>(field: Schema<T>, zero: NoInfer<T>): Filled<T>;
export function required<T>(field: Schema<T>, zero?: T): z.ZodType {
  const schema: z.ZodType = zero === undefined ? field : field.default(zero as never);
  return withFacts(schema, { ...schemaFacts(field), required: true });
}

export function deprecated<S extends z.ZodType>(field: S): S {
  return withFacts(field, { deprecated: true });
}

/** An enum: its names in the order of their numbers or, where these have gaps, the number of each name. */
export function enumeration<const T extends string>(values: readonly T[] | Readonly<Record<T, number>>): Schema<T> {
  const numbers = isList(values)
    ? values.map((name, i) => [name, i] as const)
    : (Object.entries(values) as [T, number][]);
  const byNumber = new Map<unknown, T>(numbers.map(([name, number]) => [number, name]));
  const names = numbers.map(([name]) => name);
  const schema = z.preprocess((value) => byNumber.get(value) ?? value, z.enum(names));
  return withFacts(schema, { type: 'enum', names });
}

function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value);
}
