import protobuf from 'protobufjs/minimal.js';
import { GrpcError, Status } from './status.ts';

// The few messages of health and reflection are read and written by hand, so that this library knows no generated code.

/** The fields of an encoded message by number; of repeated ones the last. */
export interface Fields {
  text(number: number): string | undefined;
  has(number: number): boolean;
}

/** @throws GrpcError INVALID_ARGUMENT where the bytes are no message. */
export function readFields(message: Uint8Array): Fields {
  const bytes = new Map<number, Uint8Array>();
  try {
    const reader = protobuf.Reader.create(message);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if ((tag & 7) === 2) bytes.set(tag >>> 3, reader.bytes());
      else reader.skipType(tag & 7);
    }
  } catch (cause) {
    throw new GrpcError(Status.INVALID_ARGUMENT, 'the request is not valid protobuf', { cause });
  }
  return {
    text: (number) => {
      const value = bytes.get(number);
      return value && Buffer.from(value).toString();
    },
    has: (number) => bytes.has(number),
  };
}

/** A field to write: text, bytes or an embedded message, or an integer. */
export type Field = readonly [number: number, value: string | Uint8Array | number];

export function writeFields(fields: readonly Field[]): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [number, value] of fields) {
    if (typeof value === 'number') writer.uint32(number << 3).int32(value);
    else if (typeof value === 'string') writer.uint32((number << 3) | 2).string(value);
    else writer.uint32((number << 3) | 2).bytes(value);
  }
  return writer.finish();
}
