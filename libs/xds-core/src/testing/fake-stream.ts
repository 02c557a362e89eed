import type { AdsPeer, AdsStream, CallStatus } from '../ads-stream.ts';

/** A stream without a network. The test reads what was written when it pleases. */
export class FakeStream implements AdsStream {
  readonly peer: AdsPeer = { address: '127.0.0.1:1', tls: false, certificate: undefined, metadata: new Map() };
  readonly #abort = new AbortController();
  readonly #drain = new AbortController();
  readonly signal: AbortSignal = this.#abort.signal;
  readonly draining: AbortSignal = this.#drain.signal;
  /** Messages that the server has written. */
  readonly written: Uint8Array[] = [];
  status: CallStatus | undefined;
  #stuck = false;
  #paused = false;
  #inbox: Uint8Array[] = [];
  #onMessage: ((message: Uint8Array) => void) | undefined;
  #onDrain: (() => void) | undefined;

  receive(onMessage: (message: Uint8Array) => void): void {
    this.#onMessage = onMessage;
    this.#deliver();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  write(...chunks: readonly Uint8Array[]): boolean {
    if (this.status === undefined) this.written.push(Buffer.concat(chunks));
    return !this.#stuck;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(status: CallStatus = { code: 0 }): void {
    if (this.status !== undefined) return;
    this.status = status;
    this.#abort.abort(new Error(status.message ?? 'ended'));
  }

  /** What the client does: send a message, */
  send(message: Uint8Array): void {
    this.#inbox.push(message);
    this.#deliver();
  }

  /** stop reading, */
  stick(): void {
    this.#stuck = true;
  }

  /** read again, */
  unstick(): void {
    this.#stuck = false;
    this.#onDrain?.();
  }

  /** hang up. */
  hangUp(): void {
    this.end({ code: 1, message: 'cancelled' });
  }

  drain(): void {
    this.#drain.abort();
  }

  #deliver(): void {
    while (!this.#paused && this.#onMessage !== undefined && this.status === undefined) {
      const next = this.#inbox.shift();
      if (next === undefined) return;
      this.#onMessage(next);
    }
  }
}
