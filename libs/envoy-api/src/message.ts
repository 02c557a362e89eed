/** Bytes of fields that the descriptor of a decoded message doesn't know; `encode` writes them again. */
export const unknownFields: unique symbol = Symbol('unknownFields');

/** A message as the codecs see it: members by JSON name. */
export interface RawMessage {
  readonly [member: string]: unknown;
  readonly [unknownFields]?: Uint8Array;
}

export function isRawMessage(value: unknown): value is RawMessage {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
