import type { Body } from './response-framing.ts';

/** What a kept body costs beside its bytes, roughly. */
const overheadBytes = 256;

interface Kept {
  /** Absent once others were used later. */
  body: Body | undefined;
}

/** Bodies that many connections are sent, the latest used up to a number of bytes. What they belong to is not kept alive. */
export class BodyCache {
  readonly #maxBytes: number;
  readonly #kept = new WeakMap<object, Kept>();
  /** Those with a body, the latest used last. */
  readonly #recent = new Set<Kept>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The body that belongs to a difference or an answer. */
  get(key: object, frame: () => Body): Body {
    const known = this.#kept.get(key);
    if (known?.body !== undefined) {
      this.#recent.delete(known);
      this.#recent.add(known);
      return known.body;
    }
    const body = frame();
    const kept: Kept = { body };
    this.#kept.set(key, kept);
    this.#recent.add(kept);
    this.#bytes += body.bytes + overheadBytes;
    this.#trim();
    return body;
  }

  #trim(): void {
    for (const oldest of this.#recent) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#recent.delete(oldest);
      this.#bytes -= (oldest.body?.bytes ?? 0) + overheadBytes;
      oldest.body = undefined;
    }
  }
}
