import type { Body } from './response-framing.ts';

/** Bodies that many connections are sent, the latest used up to a number of bytes. */
export class BodyCache {
  readonly #maxBytes: number;
  readonly #bodies = new Map<object, Body>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The body that belongs to a difference or an answer. */
  get(key: object, frame: () => Body): Body {
    const known = this.#bodies.get(key);
    if (known !== undefined) {
      this.#bodies.delete(key);
      this.#bodies.set(key, known);
      return known;
    }
    const body = frame();
    this.#bodies.set(key, body);
    this.#bytes += body.bytes;
    for (const [oldest, { bytes }] of this.#bodies) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#bodies.delete(oldest);
      this.#bytes -= bytes;
    }
    return body;
  }
}
