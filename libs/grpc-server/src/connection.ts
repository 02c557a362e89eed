import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { performServerHandshake } from 'node:http2';
import type { Duplex } from 'node:stream';
import { admit } from './admission.ts';
import { answer } from './answer.ts';
import type { BufferPool } from './buffer-pool.ts';
import { Call } from './call.ts';
import { watchPeer } from './keepalive.ts';
import { statusTrailers } from './metadata.ts';
import type { ServerObserver } from './observer.ts';
import type { ServerLimits } from './options.ts';
import { Peer } from './peer.ts';
import { runMethod } from './run-method.ts';
import type { Method } from './service.ts';
import { Status } from './status.ts';

/** How long a forced end waits for its last frames to leave. */
const flushMs = 500;

export interface ConnectionOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly limits: ServerLimits;
  readonly observer: ServerObserver;
  readonly buffers: BufferPool;
  /** Called once, when the connection is closed. */
  readonly onClose: () => void;
}

/** One connection of a client: its session of HTTP/2, its calls, keep-alive, age and orderly end. */
export class Connection {
  readonly #session: ServerHttp2Session;
  readonly #peer: Peer;
  readonly #options: ConnectionOptions;
  readonly #calls = new Set<Call>();
  readonly #draining = new AbortController();
  readonly #disposables = new DisposableStack();
  #forceAt = Infinity;
  #forceTimer: NodeJS.Timeout | undefined;
  #error: Error | undefined;

  /** @param socket a connected stream: a TCP, Unix or TLS socket, or any other whose first bytes are still unread. */
  constructor(socket: Duplex, options: ConnectionOptions) {
    const { limits, observer } = options;
    this.#options = options;
    this.#peer = new Peer(socket);
    this.#session = performServerHandshake(socket, {
      settings: { maxConcurrentStreams: limits.maxConcurrentStreams, initialWindowSize: limits.initialWindowBytes },
      maxSessionMemory: limits.maxSessionMegabytes,
    });
    this.#session.setLocalWindowSize(limits.connectionWindowBytes);
    this.#session.on('stream', (stream, headers) => this.#onStream(stream, headers));
    this.#session.on('error', (error) => (this.#error = error));
    this.#session.once('close', () => this.#onClose());
    this.#keepAlive(socket);
    observer.connectionOpened?.(this.#peer);
  }

  /** Takes no new calls, waits so long for the present ones, then ends them with UNAVAILABLE. */
  drain(graceMs: number): void {
    if (this.#session.destroyed) return;
    if (!this.#draining.signal.aborted) {
      // One GOAWAY that names the last call; clients send later ones again, elsewhere. (A preliminary GOAWAY isn't
      // possible: nghttp2 reads nothing more from an idle connection once it has sent one.)
      this.#session.close();
      this.#draining.abort();
    }
    const forceAt = Date.now() + graceMs;
    if (forceAt >= this.#forceAt) return;
    this.#forceAt = forceAt;
    clearTimeout(this.#forceTimer);
    this.#forceTimer = setTimeout(() => this.#force(), graceMs);
  }

  #force(): void {
    for (const call of this.#calls) call.terminate({ code: Status.UNAVAILABLE, message: 'the server goes away' });
    this.#forceTimer = setTimeout(() => this.#session.destroy(), flushMs);
  }

  #keepAlive(socket: Duplex): void {
    const { keepalive, maxAgeMs, maxAgeGraceMs } = this.#options.limits;
    if (keepalive !== undefined) {
      const onDead = (): void => this.#session.destroy(new Error('the client does not answer pings'));
      this.#disposables.use(watchPeer(this.#session, socket, keepalive, onDead));
    }
    if (maxAgeMs === Infinity) return;
    // A tenth of jitter either way, so that clients which came together don't come back together.
    const age = maxAgeMs * (0.9 + 0.2 * Math.random());
    const timer = setTimeout(() => this.drain(maxAgeGraceMs), age).unref();
    this.#disposables.defer(() => clearTimeout(timer));
  }

  #onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    // Without this listener a reset stream would count as an unhandled error.
    stream.on('error', () => undefined);
    if (stream.destroyed || stream.closed) return;
    const { methods, observer, limits, buffers } = this.#options;
    const admission = admit(headers, methods);
    switch (admission.kind) {
      case 'notGrpc':
        answer(stream, { ':status': admission.httpStatus });
        return;
      case 'refused':
        answer(stream, { 'content-type': 'application/grpc', ...statusTrailers(admission.status) });
        return;
      case 'call': {
        const { path, method, timeoutMs } = admission;
        const startedAt = performance.now();
        const peer = this.#peer;
        const call: Call = new Call(stream, {
          method: path,
          headers,
          peer,
          draining: this.#draining.signal,
          timeoutMs,
          maxReceiveBytes: limits.maxReceiveBytes,
          buffers,
          onError: (error) => observer.handlerFailed?.(path, error),
          onOver: (status) => {
            this.#calls.delete(call);
            observer.callEnded?.({ method: path, peer, status, durationMs: performance.now() - startedAt });
          },
        });
        this.#calls.add(call);
        observer.callStarted?.(path, peer);
        runMethod(method, call);
      }
    }
  }

  #onClose(): void {
    clearTimeout(this.#forceTimer);
    this.#disposables.dispose();
    this.#draining.abort();
    this.#options.observer.connectionClosed?.(this.#peer, this.#error);
    this.#options.onClose();
  }
}
