import type { BufferPool } from './buffer-pool.ts';
import { GrpcError, Status } from './status.ts';

/** A length-prefixed message of gRPC: one byte that tells whether it is compressed, four of length, the body. */
export const prefixBytes = 5;

/** Chunks below this size cost less to copy than to pass on. */
const joinBelowBytes = 1024;

/**
 * The buffers that put one message, made of several chunks, on the wire. Chunks are passed on by reference and so must not
 * change until they are sent; only runs of tiny ones are joined, the prefix with them.
 */
export function frameMessage(chunks: readonly Uint8Array[]): readonly Uint8Array[] {
  const prefix = Buffer.allocUnsafe(prefixBytes);
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  prefix[0] = 0;
  prefix.writeUInt32BE(length, 1);

  const framed: Uint8Array[] = [];
  let tiny: Uint8Array[] = [prefix];
  const flush = (): void => {
    if (tiny.length > 0) framed.push(tiny.length === 1 ? tiny[0]! : Buffer.concat(tiny));
    tiny = [];
  };
  for (const chunk of chunks) {
    if (chunk.length < joinBelowBytes) {
      tiny.push(chunk);
    } else {
      flush();
      framed.push(chunk);
    }
  }
  flush();
  return framed;
}

export interface Frame {
  readonly compressed: boolean;
  /** A view of the received chunk where the message lies in one, otherwise of a buffer that is lent until the next frame. */
  readonly body: Uint8Array;
}

/**
 * Cuts the bytes of a stream into messages, wherever its chunks are split. Each byte is copied at most a constant number
 * of times, and memory follows what was received, not what a prefix announces.
 */
export class FrameParser {
  readonly #maxBytes: number;
  readonly #pool: BufferPool;
  readonly #prefix = Buffer.alloc(prefixBytes);
  #prefixFilled = 0;
  #bodyLength = 0;
  /** Holds the beginning of a body that spans chunks, and the whole until the next frame is asked for. */
  #body: Buffer | undefined;
  #bodyFilled = 0;
  #chunk: Uint8Array = new Uint8Array(0);
  #offset = 0;

  /** @param maxBytes messages longer than this fail with RESOURCE_EXHAUSTED. */
  constructor(maxBytes: number, pool: BufferPool) {
    this.#maxBytes = maxBytes;
    this.#pool = pool;
  }

  /** Appends a chunk; all frames of the former must have been taken, or they are kept in front of it. */
  push(chunk: Uint8Array): void {
    const rest = this.#chunk.subarray(this.#offset);
    this.#chunk = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#offset = 0;
  }

  /** The next complete message, or undefined until more bytes arrive. */
  next(): Frame | undefined {
    if (this.#bodyFilled === 0) this.#giveBack();
    if (!this.#readPrefix()) return undefined;
    const body = this.#readBody();
    if (body === undefined) return undefined;
    this.#prefixFilled = 0;
    return { compressed: this.#prefix[0] === 1, body };
  }

  /** Whether the bytes so far end within a message. */
  get partial(): boolean {
    return this.#prefixFilled > 0 || this.#offset < this.#chunk.length;
  }

  #readPrefix(): boolean {
    if (this.#prefixFilled === prefixBytes) return true;
    while (this.#prefixFilled < prefixBytes && this.#offset < this.#chunk.length) {
      this.#prefix[this.#prefixFilled++] = this.#chunk[this.#offset++]!;
    }
    if (this.#prefixFilled < prefixBytes) return false;
    const flags = this.#prefix.readUInt8(0);
    if (flags > 1) throw new GrpcError(Status.INTERNAL, `a message has the unknown flags ${flags}`);
    this.#bodyLength = this.#prefix.readUInt32BE(1);
    if (this.#bodyLength > this.#maxBytes) {
      throw new GrpcError(
        Status.RESOURCE_EXHAUSTED,
        `a message of ${this.#bodyLength} bytes is larger than the ${this.#maxBytes} that this server takes`,
      );
    }
    return true;
  }

  #readBody(): Uint8Array | undefined {
    const available = Math.min(this.#bodyLength - this.#bodyFilled, this.#chunk.length - this.#offset);
    const piece = this.#chunk.subarray(this.#offset, this.#offset + available);
    this.#offset += available;
    if (available === this.#bodyLength) return piece;
    const body = this.#reserve(this.#bodyFilled + available);
    body.set(piece, this.#bodyFilled);
    this.#bodyFilled += available;
    if (this.#bodyFilled < this.#bodyLength) return undefined;
    this.#bodyFilled = 0;
    return body.subarray(0, this.#bodyLength);
  }

  /** The buffer of the partial body, with room for so many bytes; the pool's sizes have it grow by doubling. */
  #reserve(bytes: number): Buffer {
    const former = this.#body;
    if (former !== undefined && former.length >= bytes) return former;
    const body = this.#pool.take(bytes);
    if (former !== undefined) body.set(former.subarray(0, this.#bodyFilled));
    this.#giveBack();
    this.#body = body;
    return body;
  }

  #giveBack(): void {
    if (this.#body !== undefined) this.#pool.give(this.#body);
    this.#body = undefined;
  }
}
