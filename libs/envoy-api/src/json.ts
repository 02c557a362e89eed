/** What google.protobuf.Value holds. */
export type JsonValue = null | boolean | number | string | JsonObject | readonly JsonValue[];

/** What google.protobuf.Struct holds. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A message of any type, unpacked: `@type` is its type URL, its fields follow beside it. Well-known types, whose JSON isn't
 * an object of fields, are held as `{ '@type', value }`.
 */
export interface Any {
  readonly '@type': string;
  readonly [field: string]: unknown;
}
