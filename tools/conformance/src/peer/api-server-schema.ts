import type { OpenApi } from '@kedge/crds';
import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import { Environment } from '@marcbachmann/cel-js';

class CelUrl {
  readonly url: URL;
  constructor(text: string) {
    this.url = new URL(text);
  }
}

/** CEL with the functions that Kubernetes adds, as far as the definitions use them. */
const cel = new Environment({ unlistedVariablesAreDyn: true })
  .registerType('URL', CelUrl)
  .registerFunction('url(string): URL', (text: string) => new CelUrl(text))
  .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
  .registerFunction('URL.getScheme(): string', ({ url }: CelUrl) => url.protocol.slice(0, -1));

/**
 * What an API server finds wrong with an object by its schema, in its words: rules see only what the rest of the schema lets
 * through. Fields that there are none of are no error.
 */
export function schemaErrors(schema: OpenApi, object: Json): readonly string[] {
  const errors = structureErrors(schema, object, '');
  return errors.length > 0 ? errors : ruleErrors(schema, object, '');
}

function structureErrors(schema: OpenApi, value: Json, path: string): readonly string[] {
  if (value === null && schema.nullable === true) return [];
  const mistake = typeError(schema, value);
  if (mistake !== undefined) return [`${path} in body must be of type ${schema.type}: "${mistake}"`];
  return [
    ...limitErrors(schema, value, path),
    ...combinationErrors(schema, value, path),
    ...(isJsonObject(value) ? missingErrors(schema, value, path) : []),
    ...duplicateErrors(schema, value, path),
    ...childrenOf(schema, value, path).flatMap((child) => structureErrors(child.schema, child.value, child.path)),
  ];
}

interface Child {
  readonly schema: OpenApi;
  readonly value: Json;
  readonly path: string;
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

function childrenOf(schema: OpenApi, value: Json, path: string): readonly Child[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item: Json, index) => ({ schema: items, value: item, path: `${path}[${index}]` })) : [];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const own = schema.properties?.[key] ?? schema.additionalProperties;
    return own === undefined ? [] : [{ schema: own, value: item, path: below(path, key) }];
  });
}

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

function typeError({ type, ...schema }: OpenApi, value: Json): string | undefined {
  const actual = typeOf(value);
  if (schema['x-kubernetes-int-or-string'] === true) return ['string', 'number'].includes(actual) ? undefined : actual;
  if (type === undefined || actual === type) return undefined;
  return type === 'integer' && Number.isInteger(value) ? undefined : actual;
}

function limitErrors(schema: OpenApi, value: Json, path: string): readonly string[] {
  const size = (): number => Object.keys(value as object).length;
  const checks: readonly (readonly [keyof OpenApi, () => boolean, string])[] = [
    ['minLength', () => (value as string).length >= schema.minLength!, 'should be at least # chars long'],
    ['maxLength', () => (value as string).length <= schema.maxLength!, 'should be at most # chars long'],
    ['minimum', () => (value as number) >= schema.minimum!, 'should be greater than or equal to #'],
    ['maximum', () => (value as number) <= schema.maximum!, 'should be less than or equal to #'],
    ['minItems', () => size() >= schema.minItems!, 'should have at least # items'],
    ['maxItems', () => size() <= schema.maxItems!, 'should have at most # items'],
    ['minProperties', () => size() >= schema.minProperties!, 'should have at least # properties'],
    ['maxProperties', () => size() <= schema.maxProperties!, 'should have at most # properties'],
    ['pattern', () => new RegExp(schema.pattern!).test(value as string), "should match '#'"],
  ];
  const limits = checks
    .filter(([limit, holds]) => schema[limit] !== undefined && !holds())
    .map(([limit, , text]) => {
      const place = limit === 'minimum' || limit === 'maximum' ? `${path}: Invalid value: ${String(value)}: ` : '';
      return `${place}${path} in body ${text.replace('#', String(schema[limit]))}`;
    });
  const isUnsupported = schema.enum !== undefined && !schema.enum.includes(value as string);
  return isUnsupported ? [...limits, `${path}: Unsupported value: "${String(value)}"`] : limits;
}

function combinationErrors({ oneOf, anyOf, allOf = [], not }: OpenApi, value: Json, path: string): readonly string[] {
  const fits = (schema: OpenApi): boolean => structureErrors(schema, value, path).length === 0;
  return [
    ...(oneOf !== undefined && oneOf.filter(fits).length !== 1
      ? [`${path}: Invalid value: "": "${path}" must validate one and only one schema (oneOf)`]
      : []),
    ...(anyOf !== undefined && !anyOf.some(fits) ? [`${path}: must validate at least one schema (anyOf)`] : []),
    ...allOf.flatMap((schema) => structureErrors(schema, value, path)),
    ...(not !== undefined && fits(not) ? [`${path}: must not validate the schema (not)`] : []),
  ];
}

const missingErrors = ({ required = [] }: OpenApi, value: JsonObject, path: string): readonly string[] =>
  required.filter((key) => value[key] === undefined).map((key) => `${below(path, key)}: Required value`);

function duplicateErrors(schema: OpenApi, list: Json, path: string): readonly string[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(list)) return [];
  const ids = list.map((item: Json) => JSON.stringify(keys.map((key) => (isJsonObject(item) ? item[key] : undefined))));
  return ids.flatMap((id, index) => (ids.indexOf(id) < index ? [`${path}[${index}]: Duplicate value: ${id}`] : []));
}

function ruleErrors(schema: OpenApi, value: Json, path: string): readonly string[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const self = rules.length > 0 ? celValue(schema, value) : undefined;
  const broken = rules.filter(({ rule }) => !holds(rule, self));
  return [
    ...broken.map(({ rule, message }) => `${path}: Invalid value: "${schema.type}": ${message ?? rule}`),
    ...childrenOf(schema, value, path).flatMap((child) => ruleErrors(child.schema, child.value, child.path)),
  ];
}

/** A rule that cannot be evaluated, as of a URL that is none, does not hold. */
function holds(rule: string, self: unknown): boolean {
  try {
    return cel.evaluate(rule, { self }) === true;
  } catch {
    return false;
  }
}

/** CEL tells integers from other numbers. */
function celValue(schema: OpenApi, value: Json): unknown {
  if (schema.type === 'integer') return BigInt(value as number);
  if (Array.isArray(value)) return value.map((item: Json) => celValue(schema.items ?? {}, item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const own = schema.properties?.[key] ?? schema.additionalProperties ?? {};
      return [key, celValue(own, item)];
    }),
  );
}
