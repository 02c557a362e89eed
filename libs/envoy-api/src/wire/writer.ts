const INITIAL_SIZE = 64 * 1024;
const RETAINED_SIZE = 4 * 1024 * 1024;
/** Up to here a loop over ASCII characters beats the call into native code. */
const SHORT_STRING = 48;

/**
 * Writes protobuf wire format from the end of its buffer towards the start, so that the length of a nested message is known
 * when it is due and nothing is measured or moved. Callers therefore write values before their tags, and the last field first.
 */
export class Writer {
  #buffer: Buffer = Buffer.allocUnsafe(INITIAL_SIZE);
  #start = INITIAL_SIZE;

  /** Bytes written so far. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** Copies out what was written and makes the writer ready for the next message. */
  finish(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    bytes.set(this.#buffer.subarray(this.#start));
    this.reset();
    return bytes;
  }

  reset(): void {
    if (this.#buffer.length > RETAINED_SIZE) this.#buffer = Buffer.allocUnsafe(INITIAL_SIZE);
    this.#start = this.#buffer.length;
  }

  /** An unsigned integer below 2^32. */
  uint32(value: number): void {
    if (this.#start < 5) this.#grow(5);
    if (value < 0x80) {
      this.#buffer[--this.#start] = value;
      return;
    }
    let at = (this.#start -= value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5);
    const buffer = this.#buffer;
    while (value >= 0x80) {
      buffer[at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    buffer[at] = value;
  }

  /** A 64-bit integer of either sign, as a varint. */
  int64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    const low = Number(rest & 0xffffffffn);
    if (rest <= 0xffffffffn) {
      this.uint32(low);
      return;
    }
    const groups: number[] = [];
    while (rest > 0x7fn) {
      groups.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    groups.push(Number(rest));
    this.raw(Uint8Array.from(groups));
  }

  /** A 32-bit integer of either sign, as a varint; negative ones take ten bytes. */
  int32(value: number): void {
    if (value >= 0) this.uint32(value);
    else this.int64(BigInt(value));
  }

  fixed32(value: number): void {
    this.#start = this.#reserve(4);
    this.#buffer.writeUInt32LE(value >>> 0, this.#start);
  }

  fixed64(value: bigint): void {
    this.#start = this.#reserve(8);
    this.#buffer.writeBigUInt64LE(BigInt.asUintN(64, value), this.#start);
  }

  float(value: number): void {
    this.#start = this.#reserve(4);
    this.#buffer.writeFloatLE(value, this.#start);
  }

  double(value: number): void {
    this.#start = this.#reserve(8);
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  raw(bytes: Uint8Array): void {
    this.#start = this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#start);
  }

  /** A length-delimited UTF-8 string. */
  string(value: string): void {
    const size = value.length <= SHORT_STRING ? this.#ascii(value) : -1;
    this.uint32(size >= 0 ? size : this.#utf8(value));
  }

  /** Length-delimited bytes. */
  bytes(value: Uint8Array): void {
    this.raw(value);
    this.uint32(value.length);
  }

  /** The size written, or -1, with nothing written, where a character isn't ASCII. */
  #ascii(value: string): number {
    const size = value.length;
    const start = this.#reserve(size);
    const buffer = this.#buffer;
    for (let i = 0; i < size; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return -1;
      buffer[start + i] = code;
    }
    this.#start = start;
    return size;
  }

  #utf8(value: string): number {
    const size = Buffer.byteLength(value);
    this.#start = this.#reserve(size);
    this.#buffer.write(value, this.#start, size);
    return size;
  }

  #reserve(size: number): number {
    if (this.#start < size) this.#grow(size);
    return this.#start - size;
  }

  #grow(size: number): void {
    const used = this.length;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, used + size));
    grown.set(this.#buffer.subarray(this.#start), grown.length - used);
    this.#buffer = grown;
    this.#start = grown.length - used;
  }
}
