import { type OneOf, type Schema, type SchemaFacts, type SchemaType, type Shape, schemaFacts } from '@kedge/model';
import type { Constraints, FieldFacts, MessageFacts, Rule } from './facts/facts.ts';
import { POSITIVE_DURATION } from './facts/rules.ts';

/** A structural schema of Kubernetes: OpenAPI v3 as far as an API server takes it, and its own extensions. */
export interface OpenApi {
  readonly description?: string;
  readonly type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, OpenApi>>;
  readonly required?: readonly string[];
  readonly items?: OpenApi;
  readonly additionalProperties?: OpenApi;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly OpenApi[];
  readonly allOf?: readonly OpenApi[];
  readonly anyOf?: readonly OpenApi[];
  readonly not?: OpenApi;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
  readonly 'x-kubernetes-list-type'?: 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
}

type AnySchema = Schema<unknown>;
type Facts = ReadonlyMap<Shape, MessageFacts>;

const scalars: Readonly<Record<Exclude<SchemaType, 'enum' | 'list' | 'map' | 'message'>, OpenApi>> = {
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  double: { type: 'number', format: 'double' },
  duration: { type: 'string', ...rules([POSITIVE_DURATION]) },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  string: { type: 'string' },
  struct: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  uint32: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
  uint64: { type: 'integer', minimum: 0 },
};

/** The OpenAPI schema of a field, or of a whole message; fails for a message of which no facts are known. */
export function openApiOf(schema: AnySchema, all: Facts, facts: Partial<FieldFacts> = {}): OpenApi {
  const { about, element, alias: _, ...constraints } = facts;
  const own = schemaFacts(schema);
  return {
    ...(about !== undefined && { description: own.deprecated ? `${about} Deprecated.` : about }),
    ...ofType(own, all, element),
    ...ofConstraints(constraints),
  };
}

function ofType(own: SchemaFacts, all: Facts, element: Constraints | undefined): OpenApi {
  const { type, names = [], shape = {}, oneOfs = [] } = own;
  switch (type) {
    case undefined:
      throw new TypeError('the schema does not say its type');
    case 'message':
      return { type: 'object', ...ofFields(shape, all), ...ofOneOfs(oneOfs) };
    case 'list':
      return { type: 'array', items: ofElement(own, all, element) };
    case 'map':
      return { type: 'object', additionalProperties: ofElement(own, all, element) };
    case 'enum':
      return { type: 'string', enum: names };
    default:
      return scalars[type];
  }
}

function ofElement({ element: schema }: SchemaFacts, all: Facts, constraints: Constraints | undefined): OpenApi {
  if (!schema) throw new TypeError('a list or map without a schema of its elements');
  return openApiOf(schema, all, constraints);
}

function ofFields(shape: Shape, all: Facts): OpenApi {
  const facts = all.get(shape);
  if (!facts) throw new TypeError(`nothing is said of the message with ${Object.keys(shape).join(', ')}`);
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const { alias, ...field } = facts.fields[name] ?? {};
    const node = openApiOf(schema, all, field);
    return [name, ...(alias === undefined ? [] : [alias])].map((key) => [key, node] as const);
  });
  const required = Object.keys(shape).filter((name) => schemaFacts(shape[name]!).required);
  return {
    properties: Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(required.length > 0 && { required }),
    ...rules(facts.rules),
  };
}

/** At most one field of each group: none of them, or exactly one. */
function ofOneOfs(groups: readonly OneOf[]): OpenApi {
  const choices = groups.map((names) => {
    const each = names.map((name) => ({ required: [name] }));
    return { oneOf: [{ not: { anyOf: each } }, ...each] };
  });
  const [first] = choices;
  return choices.length > 1 ? { allOf: choices } : (first ?? {});
}

function ofConstraints({ rules: replaced, mapKeys, ...limits }: Constraints): OpenApi {
  return {
    ...limits,
    ...(mapKeys && { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': mapKeys }),
    ...(replaced && rules(replaced)),
  };
}

function rules(list: readonly Rule[]): OpenApi {
  return { 'x-kubernetes-validations': list.length > 0 ? list : undefined };
}
