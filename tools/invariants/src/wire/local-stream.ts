import type { AdsPeer, AdsStream } from '@kedge/xds-core';

/** A stream within the process. What the server writes waits until it is taken. */
export class LocalStream implements AdsStream {
  readonly peer: AdsPeer = { address: 'here:1', tls: false, certificate: undefined, metadata: new Map() };
  readonly #ended = new AbortController();
  readonly signal: AbortSignal = this.#ended.signal;
  readonly draining: AbortSignal = new AbortController().signal;
  readonly #written: Uint8Array[] = [];
  readonly #sent: Uint8Array[] = [];
  #isPaused = false;
  #onMessage: ((message: Uint8Array) => void) | undefined;

  receive(onMessage: (message: Uint8Array) => void): void {
    this.#onMessage = onMessage;
    this.#deliver();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  write(...chunks: readonly Uint8Array[]): boolean {
    this.#written.push(Buffer.concat(chunks));
    return true;
  }

  /** Whoever takes everything never has to be waited for. */
  onDrain(): void {}

  end(): void {
    this.#ended.abort(new Error('ended'));
  }

  /** What the client sends. */
  send(message: Uint8Array): void {
    this.#sent.push(message);
    this.#deliver();
  }

  /** The next message of the server's. */
  take(): Uint8Array | undefined {
    return this.#written.shift();
  }

  #deliver(): void {
    while (!this.#isPaused && this.#onMessage && !this.signal.aborted) {
      const next = this.#sent.shift();
      if (next === undefined) return;
      this.#onMessage(next);
    }
  }
}
