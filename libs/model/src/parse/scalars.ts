import { z } from 'zod';
import { parseDuration } from './duration.ts';
import { type JsonObject, isJsonObject } from './json.ts';
import { type Schema, type SchemaType, withFacts } from './message.ts';

/** Protobuf JSON writes numbers as numbers or as decimal strings. */
function fromDecimal(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? Number(value) : value;
}

function scalar<T>(type: SchemaType, schema: Schema<T>): Schema<T> {
  return withFacts(schema, { type });
}

function integer(type: SchemaType, minimum: number, maximum: number): Schema<number> {
  return scalar(type, z.preprocess(fromDecimal, z.int().min(minimum).max(maximum)));
}

export const string = scalar('string', z.string());
export const bool = scalar('bool', z.boolean());
export const int32 = integer('int32', -(2 ** 31), 2 ** 31 - 1);
export const uint32 = integer('uint32', 0, 2 ** 32 - 1);
/** 64-bit integers are kept as numbers; none of the fields means values that a double cannot hold. */
export const int64 = integer('int64', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const uint64 = integer('uint64', 0, Number.MAX_SAFE_INTEGER);
export const double = scalar('double', z.preprocess(fromDecimal, z.number()));

/** Bytes stay in the base64 form (standard or URL-safe) of protobuf JSON. */
export const bytes = scalar('bytes', z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'must be base64'));

/** Milliseconds; see {@link parseDuration} for the accepted texts. */
export const duration = scalar(
  'duration',
  z.string().transform((text, context): number => {
    const milliseconds = parseDuration(text);
    if (milliseconds !== undefined) return milliseconds;
    context.addIssue({ code: 'custom', message: `"${text}" is not a duration such as "1.5s"` });
    return z.NEVER;
  }),
);

/** A `google.protobuf.Struct`: any JSON object, kept as it is. */
export const struct = scalar('struct', z.custom<JsonObject>(isJsonObject, 'must be an object'));
