import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { answer, ignoreInbound } from './answer.ts';
import type { BufferPool } from './buffer-pool.ts';
import { acceptedEncodings, decompressor, type Decompress } from './compression.ts';
import { FrameParser, frameMessage } from './frame.ts';
import { metadataHeaders, readMetadata, statusTrailers, type Metadata } from './metadata.ts';
import type { Peer } from './peer.ts';
import type { ServerStream } from './service.ts';
import { GrpcError, Status, type CallStatus, type OutgoingMetadata } from './status.ts';

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR } = constants;

export interface CallOptions {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly peer: Peer;
  readonly draining: AbortSignal;
  readonly timeoutMs: number | undefined;
  readonly maxReceiveBytes: number;
  readonly buffers: BufferPool;
  /** Called once, when the call is over. */
  readonly onOver: (status: CallStatus) => void;
  /** Told about errors that were no `GrpcError`, of which the client learns nothing. */
  readonly onError: (error: unknown) => void;
}

/** One call: gRPC's framing, status and flow control on a stream of HTTP/2. */
export class Call implements ServerStream {
  readonly method: string;
  readonly peer: Peer;
  readonly draining: AbortSignal;
  readonly deadline: number | undefined;
  readonly #http2: ServerHttp2Stream;
  readonly #options: CallOptions;
  readonly #frames: FrameParser;
  readonly #timer: NodeJS.Timeout | undefined;
  #decompress: Decompress | undefined;
  #metadata: Metadata | undefined;
  #abort: AbortController | undefined;
  #onMessage: ((message: Uint8Array) => void) | undefined;
  #onHalfClose: () => void = () => this.end();
  #onDrain: (() => void) | undefined;
  #paused = false;
  #delivering = false;
  /** `ended`: the client has half-closed; `told`: the handler knows. */
  #inbound: 'open' | 'ended' | 'told' = 'open';
  /** How the call ended; absent while it goes on. */
  #status: CallStatus | undefined;

  constructor(http2: ServerHttp2Stream, options: CallOptions) {
    this.#http2 = http2;
    this.#options = options;
    this.method = options.method;
    this.peer = options.peer;
    this.draining = options.draining;
    this.#frames = new FrameParser(options.maxReceiveBytes, options.buffers);
    if (options.timeoutMs !== undefined) {
      this.deadline = Date.now() + options.timeoutMs;
      this.#timer = setTimeout(() => {
        this.terminate({ code: Status.DEADLINE_EXCEEDED, message: 'the deadline of the call has passed' });
      }, options.timeoutMs);
    }
    http2.on('close', () => this.#over({ code: Status.CANCELLED, message: 'cancelled, or the connection is lost' }));
    http2.on('drain', () => {
      if (this.#status === undefined) this.#guard(() => this.#onDrain?.());
    });
    http2.on('wantTrailers', () => this.#sendTrailers());
  }

  get metadata(): Metadata {
    return (this.#metadata ??= readMetadata(this.#options.headers));
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#status !== undefined) this.#abort.abort(asError(this.#status));
    }
    return this.#abort.signal;
  }

  get buffered(): number {
    return this.#http2.writableLength;
  }

  sendHeaders(metadata?: OutgoingMetadata): void {
    if (this.#http2.headersSent || !this.#writable) return;
    this.#http2.respond(
      {
        'content-type': 'application/grpc',
        'grpc-accept-encoding': acceptedEncodings,
        ...(metadata && metadataHeaders(metadata)),
      },
      { waitForTrailers: true },
    );
  }

  receive(onMessage: (message: Uint8Array) => void, onHalfClose?: () => void): void {
    this.#onMessage = onMessage;
    if (onHalfClose !== undefined) this.#onHalfClose = onHalfClose;
    this.#http2.on('data', (chunk: Uint8Array) => {
      if (this.#status !== undefined) return;
      this.#frames.push(chunk);
      this.#deliver();
    });
    this.#http2.on('end', () => {
      // A reset ends the readable side too; then 'close' follows.
      if (!this.#open) return;
      this.#inbound = 'ended';
      this.#deliver();
    });
    if (this.#paused) this.#http2.pause();
  }

  pause(): void {
    if (this.#status !== undefined) return;
    this.#paused = true;
    this.#http2.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#onMessage === undefined) return;
    this.#http2.resume();
    this.#deliver();
  }

  write(...chunks: readonly Uint8Array[]): boolean {
    if (!this.#writable) return false;
    this.sendHeaders();
    const buffers = frameMessage(chunks);
    if (buffers.length === 1) return this.#http2.write(buffers[0]);
    this.#http2.cork();
    let more = true;
    for (const buffer of buffers) more = this.#http2.write(buffer);
    this.#http2.uncork();
    return more;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(status: CallStatus = { code: Status.OK }): void {
    if (!this.#over(status) || !this.#open) return;
    if (this.#http2.headersSent) {
      this.#http2.end();
    } else {
      this.#orReset(() => answer(this.#http2, { 'content-type': 'application/grpc', ...statusTrailers(status) }));
    }
  }

  fail(error: unknown): void {
    if (this.#status !== undefined) return;
    if (!(error instanceof GrpcError)) this.#options.onError(error);
    this.end(GrpcError.from(error));
  }

  /** Ends the call without waiting for the client to take what was written: then the stream is reset. */
  terminate(status: CallStatus): void {
    if (this.buffered === 0) {
      this.end(status);
    } else if (this.#over(status)) {
      this.#http2.close(NGHTTP2_CANCEL);
    }
  }

  /** Whether the stream of HTTP/2 still exists. */
  get #open(): boolean {
    return !this.#http2.destroyed && !this.#http2.closed;
  }

  get #writable(): boolean {
    return this.#status === undefined && this.#open;
  }

  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    this.#guard(() => {
      while (this.#mayDeliver) {
        const frame = this.#frames.next();
        if (frame === undefined) break;
        this.#onMessage?.(frame.compressed ? this.#decompressed(frame.body) : frame.body);
      }
      if (this.#inbound !== 'ended' || !this.#mayDeliver) return;
      this.#inbound = 'told';
      if (this.#frames.partial) throw new GrpcError(Status.INTERNAL, 'the client ended its stream within a message');
      this.#onHalfClose();
    });
    this.#delivering = false;
  }

  get #mayDeliver(): boolean {
    return !this.#paused && this.#status === undefined;
  }

  #decompressed(body: Uint8Array): Uint8Array {
    this.#decompress ??= decompressor(
      this.#options.headers['grpc-encoding']?.toString() ?? 'identity',
      this.#options.maxReceiveBytes,
    );
    return this.#decompress(body);
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Records how the call ended; false where it had ended before. */
  #over(status: CallStatus): boolean {
    if (this.#status !== undefined) return false;
    this.#status = status;
    clearTimeout(this.#timer);
    this.#abort?.abort(asError(status));
    this.#options.onOver(status);
    return true;
  }

  #sendTrailers(): void {
    if (!this.#open) return;
    this.#orReset(() => {
      this.#http2.sendTrailers(statusTrailers(this.#status ?? { code: Status.UNKNOWN }));
      ignoreInbound(this.#http2);
    });
  }

  /** A handler's metadata may be malformed, which HTTP/2 only notices here; that costs this call, nothing else. */
  #orReset(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.#options.onError(error);
      this.#http2.close(NGHTTP2_INTERNAL_ERROR);
    }
  }
}

function asError(status: CallStatus): GrpcError {
  return status instanceof GrpcError ? status : new GrpcError(status.code, status.message ?? '', status);
}
