import type { Messages } from '../generated/types/messages.ts';
import { decodeMessage } from './codec/decode.ts';
import { encodeMessage } from './codec/encode.ts';
import type { Any } from './json.ts';
import { mergeMessages } from './merge.ts';
import type { MergeOptions } from './merge.ts';
import { parseMessage } from './parse/parse.ts';
import type { ParseError } from './parse/parse.ts';
import { messageType, schema, typeNameOf, typeUrl } from './registry.ts';
import { validateMessage } from './validate/validate.ts';
import type { Violation } from './validate/validate.ts';
import { isWellKnown } from './well-known.ts';
import { appendMessages, delimiter } from './wire/assemble.ts';

export type { Messages } from '../generated/types/messages.ts';
export type { EncodedResource, Requirement } from './encoded-resource.ts';
export type { Any, JsonObject, JsonValue } from './json.ts';
export type { MergeOptions } from './merge.ts';
export { unknownFields } from './message.ts';
export type * from './names.ts';
export type { ParseError } from './parse/parse.ts';
export { fileDescriptorsFor, listServices } from './reflection.ts';
export type { MethodInfo, ServiceInfo } from './reflection.ts';
export { typeUrl } from './registry.ts';
export type { Violation } from './validate/validate.ts';
export { wrapAny } from './wire/assemble.ts';
export { DecodeError } from './wire/reader.ts';

// Every function takes and gives messages as canonical protobuf JSON (docs/decisions/0001-protobuf-json-in-memory.md).
// Nothing is loaded before the first call that needs a type; a type's codec is made when it is first used.

/** Full name of a message type. */
export type MessageName = keyof Messages;

/** Rules for messages by their type. The path of what they find is a member of the message, or empty. */
export type FurtherRules = {
  readonly [N in MessageName]?: (message: Messages[N]) => readonly Omit<Violation, 'rule'>[];
};

/** Whether a text, such as one from the wire, is the full name of a message type. */
export function isMessageName(name: string): name is MessageName {
  return schema().message(name) !== undefined;
}

/** An Any that holds `message`; nested values are shared, not copied. */
export function packAny<N extends MessageName>(name: N, message: Messages[N]): Any {
  const type = { '@type': typeUrl(name) };
  return isWellKnown(name) ? { ...type, value: message } : { ...type, ...(message as object) };
}

/** The message in an Any of that type, else undefined. It is not copied, so it still has its `@type`, which encode ignores. */
export function unpackAny<N extends MessageName>(name: N, any: Any | undefined): Messages[N] | undefined {
  if (!any || typeNameOf(any['@type']) !== name) return undefined;
  return (isWellKnown(name) ? any['value'] : any) as Messages[N];
}

/**
 * The bytes of a message. Equal messages give equal bytes: members are written by number, map keys sorted.
 * Throws a TypeError where the value doesn't fit the type, an unknown member included.
 */
export function encode<N extends MessageName>(name: N, message: Messages[N]): Uint8Array {
  return encodeMessage(name, message);
}

/** The bytes of google.protobuf.Any with the packed message. */
export function encodeAny(any: Any): Uint8Array {
  return encodeMessage('google.protobuf.Any', any);
}

/**
 * The message in canonical form. Fields that the type doesn't have are kept under `unknownFields`, and so is the content of
 * an Any whose type isn't known. Throws a DecodeError where the bytes are no protobuf message.
 */
export function decode<N extends MessageName>(name: N, bytes: Uint8Array): Messages[N] {
  return decodeMessage(name, bytes) as Messages[N];
}

/** The message that encoded google.protobuf.Any holds, unpacked. */
export function decodeAny(bytes: Uint8Array): Any {
  return decodeMessage('google.protobuf.Any', bytes) as Any;
}

/**
 * Assembles a message from its encoding without one repeated field, and that field's encoded elements: a route configuration
 * from its virtual hosts, a listener from its filter chains. Nothing is encoded again.
 */
export function encodeParts<N extends MessageName>(
  name: N,
  skeleton: Uint8Array,
  field: keyof Messages[N] & string,
  parts: readonly Uint8Array[],
): Uint8Array {
  return appendMessages(skeleton, partNumber(name, field), parts);
}

/** The bytes before an encoded element of that size in a list of messages, for writing elements without copying them. */
export function partHeader<N extends MessageName>(
  name: N,
  field: keyof Messages[N] & string,
  size: number,
): Uint8Array {
  return delimiter(partNumber(name, field), size);
}

function partNumber(name: string, field: string): number {
  const target = messageType(name).byJson.get(field);
  if (target?.cardinality === 'repeated' && target.value.kind === 'message') return target.number;
  throw new TypeError(`${name}.${field} is not a list of messages`);
}

/**
 * Brings protobuf JSON, as people write it, into canonical form: names in snake_case or lowerCamelCase, enums by number,
 * numbers as strings, null as absent. All that is misspelt or mistyped is reported, with its place; an Any needs an `@type`
 * that is known. By option, members that a type doesn't have are passed over: who wrote them may know a newer version.
 */
export function parse<N extends MessageName>(
  name: N,
  input: unknown,
  { unknownMembers = 'refuse' }: { readonly unknownMembers?: 'refuse' | 'ignore' } = {},
):
  | { readonly ok: true; readonly message: Messages[N] }
  | { readonly ok: false; readonly errors: readonly ParseError[] } {
  const { message, errors: found } = parseMessage(name, input);
  const errors = unknownMembers === 'ignore' ? found.filter(({ unknownField }) => !unknownField) : found;
  return errors.length > 0 ? { ok: false, errors } : { ok: true, message: message as Messages[N] };
}

/**
 * What breaks the validation rules of the message's type (`validate.rules` in proto/), of the messages within it and of those
 * packed in an Any. Envoy refuses a resource that breaks one. `further` are rules that the types don't state; wherever a message
 * of their type is, they are asked.
 */
export function validate<N extends MessageName>(
  name: N,
  message: Messages[N],
  further: FurtherRules = {},
): readonly Violation[] {
  return validateMessage(name, message, further);
}

/**
 * `base` with `patch` merged into it, as EnvoyFilter's MERGE does: members of the patch replace scalars and durations, merge
 * into messages, append to lists (or replace them, by option), and replace map entries of the same key; setting one member of
 * a oneof clears the others. A value that isn't set, a wrapper's default included, changes nothing. An Any within a message
 * is replaced; with the name `google.protobuf.Any` two of the same type are merged unpacked. Neither input is changed; the
 * result shares what didn't change.
 */
export function merge<N extends MessageName>(
  name: N,
  base: Messages[N],
  patch: Messages[N],
  options: MergeOptions = {},
): Messages[N] {
  return mergeMessages(name, base, patch, options) as Messages[N];
}
