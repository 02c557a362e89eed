/** Protobuf's wire format, as deep as a client that only counts and follows references needs it. */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Walks the fields of a message without making an object of each. Throws where the bytes are no message. */
export class Fields {
  field = 0;
  /** Of a varint; it is exact up to 2^53. */
  value = 0;
  /** Of bytes: where they begin and end in `bytes`. Both 0 for other fields. */
  from = 0;
  to = 0;
  /** Where the field itself begins and the next one does. */
  start: number;
  next: number;
  readonly bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, from = 0, to = bytes.length) {
    this.bytes = bytes;
    this.start = from;
    this.next = from;
    this.#end = to;
  }

  /** Goes to the next field. @returns false at the end. */
  step(): boolean {
    if (this.next >= this.#end) return false;
    this.start = this.next;
    const tag = this.#varint();
    this.field = tag >>> 3;
    this.from = this.to = this.value = 0;
    switch (tag & 7) {
      case VARINT:
        this.value = this.#varint();
        break;
      case FIXED64:
        this.next += 8;
        break;
      case FIXED32:
        this.next += 4;
        break;
      case BYTES: {
        const length = this.#varint();
        this.from = this.next;
        this.next = this.to = this.from + length;
        break;
      }
      default:
        throw new Error(`wire type ${tag & 7} at ${this.start}`);
    }
    if (this.next > this.#end) throw new Error(`a field at ${this.start} is cut off`);
    return true;
  }

  /** The fields of the message that this field holds. */
  inner(): Fields {
    return new Fields(this.bytes, this.from, this.to);
  }

  /** The field as text; names are ASCII. */
  text(): string {
    return this.bytes.toString('latin1', this.from, this.to);
  }

  #varint(): number {
    let byte = this.bytes[this.next++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = this.bytes[this.next++] ?? 0;
      value += (byte & 0x7f) * factor;
    }
    return value;
  }
}

/** Gathers the fields of a message, then copies them once. */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(1 << 17);
  #length = 0;

  text(field: number, text: string): this {
    return this.#reserve(text.length).#prefix(field, text.length).#latin1(text);
  }

  message(field: number, bytes: Uint8Array): this {
    this.#reserve(bytes.length).#prefix(field, bytes.length);
    return this.raw(bytes);
  }

  /** Whole fields that are encoded already. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #latin1(text: string): this {
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
    return this;
  }

  #prefix(field: number, length: number): this {
    this.#bytes[this.#length++] = field * 8 + BYTES;
    let rest = length;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
    return this;
  }

  #reserve(length: number): this {
    const needed = this.#length + length + 16;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(needed * 2);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this;
  }
}
