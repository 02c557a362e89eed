import type { Messages } from '../generated/types/messages.ts';
import { encodeMessage } from './codec/encode.ts';
import type { Any } from './json.ts';
import { typeUrl } from './registry.ts';
import { isWellKnown } from './well-known.ts';

export type { Messages } from '../generated/types/messages.ts';
export type { Any, JsonObject, JsonValue } from './json.ts';
export { unknownFields } from './message.ts';
export type * from './names.ts';
export { typeUrl } from './registry.ts';

/** Full name of a message type. */
export type MessageName = keyof Messages;

/** An Any that holds `message`; it isn't copied deeply. */
export function packAny<N extends MessageName>(name: N, message: Messages[N]): Any {
  const type = { '@type': typeUrl(name) };
  return isWellKnown(name) ? { ...type, value: message } : { ...type, ...(message as object) };
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
