import { FramedRuns } from './framed-runs.ts';
import type { Body } from './response-framing.ts';

/** What a kept body costs beside its bytes, roughly. */
const overheadBytes = 256;

interface Kept {
  /** Absent once others were used later. */
  body: Body | undefined;
}

/**
 * Bodies that many connections are sent, the latest used up to a number of bytes. They go with what they belong to, which
 * is not kept alive here.
 */
export class BodyCache {
  /** The parts that bodies share, also those that are kept no longer but still being sent. */
  readonly runs = new FramedRuns();
  readonly #maxBytes: number;
  readonly #kept = new WeakMap<object, Kept>();
  /** Those with a body, the latest used last. */
  readonly #recent = new Set<Kept>();
  readonly #gone = new FinalizationRegistry<Kept>((kept) => this.#drop(kept));
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
    this.#gone.register(key, kept);
    this.#recent.add(kept);
    this.#bytes += body.bytes + overheadBytes;
    this.#trim();
    return body;
  }

  #trim(): void {
    for (const oldest of this.#recent) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(kept: Kept): void {
    if (!this.#recent.delete(kept)) return;
    this.#bytes -= (kept.body?.bytes ?? 0) + overheadBytes;
    kept.body = undefined;
  }
}
