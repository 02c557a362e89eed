import { type SchemaResult, readSchema } from '../parse/findings.ts';
import { isJsonObject } from '../parse/json.ts';
import { type Schema, fieldName, schemaFacts } from '../parse/message.ts';

/**
 * Lays the fields that an object gives over a base. A given field replaces that of the base as a whole (a message or a list
 * is not merged), and the base's other fields of the same oneof. The base itself when the object has errors.
 */
export function overlay<T extends object>(schema: Schema<T>, base: T, object: unknown): SchemaResult<T> & { value: T } {
  const result = readSchema(schema, object);
  if (result.value === undefined) return { ...result, value: base };
  const { shape = {}, oneOfs = [] } = schemaFacts(schema);
  const merged = new Map<string, unknown>(Object.entries(base));
  const parsed = new Map<string, unknown>(Object.entries(result.value));
  for (const key of givenKeys(object)) {
    const field = fieldName(key, shape);
    if (field === undefined) continue;
    for (const sibling of oneOfs.find((oneOf) => oneOf.includes(field)) ?? []) merged.delete(sibling);
    merged.set(field, parsed.get(field));
  }
  return { ...result, value: Object.fromEntries(merged) as T };
}

/** A field of an object that is not yet typed, in either of its spellings. */
export function givenField(object: unknown, name: string, schema: Schema<unknown>): unknown {
  if (!isJsonObject(object)) return undefined;
  const { shape = {} } = schemaFacts(schema);
  const key = givenKeys(object).find((given) => fieldName(given, shape) === name);
  return key === undefined ? undefined : object[key];
}

function givenKeys(object: unknown): readonly string[] {
  return isJsonObject(object) ? Object.keys(object).filter((key) => object[key] !== null) : [];
}
