import { type Schema, type Shape, schemaFacts } from '@kedge/model';

/** A rule in CEL (`self` is the value) and what the API server says where it does not hold. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** What the API server holds a value to, besides its type. The names are those of OpenAPI. */
export interface Constraints {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly nullable?: true;
  /** Of a list: the fields of its elements that tell them apart, so that server-side apply merges by them. */
  readonly mapKeys?: readonly string[];
  /** In place of those that the type has of itself. */
  readonly rules?: readonly Rule[];
}

export interface FieldFacts extends Constraints {
  readonly about: string;
  /** Of the elements of a list or the values of a map. */
  readonly element?: Constraints;
  /** A second spelling, which the API server knows as well. */
  readonly alias?: string;
}

export interface MessageFacts {
  readonly fields: Readonly<Record<string, FieldFacts>>;
  readonly rules: readonly Rule[];
}

/** The facts of a message, known by its shape, which is the same wherever the message is used. */
export type MessageEntry = readonly [Shape, MessageFacts];

/** Describes every field of a message (the type sees to it): by its text alone, or with constraints. */
export function describe<T>(
  schema: Schema<T>,
  fields: { readonly [K in keyof T]-?: string | FieldFacts },
  rules: readonly Rule[] = [],
): MessageEntry {
  const { shape } = schemaFacts(schema);
  if (!shape) throw new TypeError('only messages have fields to describe');
  const entries = Object.entries<string | FieldFacts>(fields);
  const full = entries.map(([name, facts]) => [name, typeof facts === 'string' ? { about: facts } : facts] as const);
  return [shape, { fields: Object.fromEntries(full), rules }];
}
