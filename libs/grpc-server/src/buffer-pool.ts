/** The smallest buffer that is lent; larger ones are of powers of two, so that one serves messages of like size. */
const leastBytes = 64 * 1024;

/** What lies idle at most. */
const mostIdleBytes = 4 * 1024 * 1024;

/**
 * Buffers that are lent one after the other. What a message takes while it is received would otherwise be garbage outside of
 * V8's heap right afterwards, and V8 answers such garbage with collections of the whole heap: for a thousand messages of 64
 * KiB one.
 */
export class BufferPool {
  /** The one that was given back last is the likeliest to be in the processor's cache. */
  readonly #idle: Buffer[] = [];
  #idleBytes = 0;

  /** A buffer of at least so many bytes, whatever they hold. */
  take(bytes: number): Buffer {
    const at = this.#idle.findLastIndex(({ length }) => length >= bytes);
    const [known] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (known === undefined) return Buffer.allocUnsafeSlow(sizeFor(bytes));
    this.#idleBytes -= known.length;
    return known;
  }

  /** Takes back a buffer that `take` gave and that nobody looks at any more. */
  give(buffer: Buffer): void {
    if (this.#idleBytes + buffer.length > mostIdleBytes) return;
    this.#idle.push(buffer);
    this.#idleBytes += buffer.length;
  }
}

function sizeFor(bytes: number): number {
  return Math.max(leastBytes, 2 ** Math.ceil(Math.log2(bytes)));
}
