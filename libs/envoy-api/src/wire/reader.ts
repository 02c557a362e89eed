import { WireType } from './wire-type.ts';

/** Up to here a loop over ASCII characters beats the call into native code. */
const SHORT_STRING = 24;

/** Hostile input must not exhaust the stack. */
const MAX_DEPTH = 200;

/** Bytes that are no valid protobuf message. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** Reads protobuf wire format. Every read checks the bounds and throws a DecodeError beyond them. */
export class Reader {
  readonly #buffer: Buffer;
  #at = 0;
  #end: number;
  #depth: number;

  /** `depth` is how many messages enclose this one. */
  constructor(bytes: Uint8Array, depth = 0) {
    this.#depth = depth;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get position(): number {
    return this.#at;
  }

  get depth(): number {
    return this.#depth;
  }

  /** Whether the current message, or packed list, goes on. */
  hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** Narrows reading to the length-delimited value that begins here; `leave` takes the result. */
  enter(): number {
    const size = this.uint32();
    const outer = this.#end;
    if (++this.#depth > MAX_DEPTH) throw new DecodeError(`messages are nested more than ${MAX_DEPTH} deep`);
    this.#end = this.#advance(size) + size;
    this.#at = this.#end - size;
    return outer;
  }

  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
    this.#depth--;
  }

  /** A varint cut to 32 bits, unsigned. */
  uint32(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new DecodeError('a varint has more than ten bytes');
  }

  /** A varint of 64 bits, unsigned. */
  uint64(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new DecodeError('a varint has more than ten bytes');
  }

  /** A varint of 64 bits, signed, as a number: exact up to 2^53, and much faster than a bigint. */
  int64Number(): number {
    const start = this.#at;
    const low = this.uint32();
    if (this.#at - start <= 4) return low;
    this.#at = start;
    return Number(BigInt.asIntN(64, this.uint64()));
  }

  fixed32(): number {
    return this.#buffer.readUInt32LE(this.#advance(4));
  }

  fixed64(): bigint {
    return this.#buffer.readBigUInt64LE(this.#advance(8));
  }

  float(): number {
    return this.#buffer.readFloatLE(this.#advance(4));
  }

  double(): number {
    return this.#buffer.readDoubleLE(this.#advance(8));
  }

  string(): string {
    const size = this.uint32();
    const start = this.#advance(size);
    if (size > SHORT_STRING) return this.#buffer.toString('utf8', start, start + size);
    let text = '';
    for (let i = start; i < start + size; i++) {
      const code = this.#buffer[i] as number;
      if (code >= 0x80) return this.#buffer.toString('utf8', start, start + size);
      text += String.fromCharCode(code);
    }
    return text;
  }

  /** A view of the bytes, not a copy. */
  bytes(): Buffer {
    const size = this.uint32();
    const start = this.#advance(size);
    return this.#buffer.subarray(start, start + size);
  }

  /** A view of what was read since `start`. */
  since(start: number): Buffer {
    return this.#buffer.subarray(start, this.#at);
  }

  skip(wireType: number, number: number): void {
    switch (wireType) {
      case WireType.varint:
        this.uint32();
        return;
      case WireType.fixed64:
        this.#advance(8);
        return;
      case WireType.delimited:
        this.#advance(this.uint32());
        return;
      case WireType.startGroup:
        this.#skipGroup(number);
        return;
      case WireType.fixed32:
        this.#advance(4);
        return;
      default:
        throw new DecodeError(`wire type ${wireType} of field ${number} is not known`);
    }
  }

  #skipGroup(number: number): void {
    for (;;) {
      const tag = this.uint32();
      if (tag >>> 3 === number && (tag & 7) === WireType.endGroup) return;
      this.skip(tag & 7, tag >>> 3);
    }
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new DecodeError('the message ends within a value');
    return this.#buffer[this.#at++] as number;
  }

  /** Moves on by `size`; gives where that begins. */
  #advance(size: number): number {
    const start = this.#at;
    if (size > this.#end - start) throw new DecodeError('the message ends within a value');
    this.#at = start + size;
    return start;
  }
}
