import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';

const HEADER_BYTES = 5;
const STREAM_WINDOW_BYTES = 16 << 20;
const CONNECTION_WINDOW_BYTES = 24 << 20;

export interface GrpcStreamHandlers {
  readonly connected?: () => void;
  /** The bytes are overwritten afterwards. */
  readonly message: (bytes: Buffer) => void;
  /** Called once. */
  readonly closed: (reason: string) => void;
}

/** One call to a local server on a connection of its own: messages framed by hand over node:http2. */
export class GrpcStream {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #handlers: GrpcStreamHandlers;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Bytes up to the end of the message that is being received, or of its header. */
  #wanted = HEADER_BYTES;
  #reason = 'the server ended the stream';

  constructor(port: number, path: string, handlers: GrpcStreamHandlers) {
    this.#handlers = handlers;
    this.#session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: STREAM_WINDOW_BYTES } });
    this.#session.once('connect', () => {
      this.#session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
      this.#handlers.connected?.();
    });
    this.#session.on('error', (error) => (this.#reason = error.message));
    this.#session.once('close', () => this.#handlers.closed(this.#reason));
    this.#stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    this.#stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#stream.on('error', (error) => (this.#reason = error.message));
    this.#stream.on('trailers', ({ 'grpc-message': message = '' }) => (this.#reason = `ended: ${String(message)}`));
    this.#stream.once('close', () => this.#session.destroy());
  }

  send(message: Uint8Array): void {
    const frame = Buffer.allocUnsafe(HEADER_BYTES + message.length);
    frame[0] = 0;
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, HEADER_BYTES);
    this.#stream.write(frame);
  }

  close(): void {
    this.#session.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    while (this.#received >= this.#wanted) {
      const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : gather(this.#chunks, this.#received);
      if (this.#wanted === HEADER_BYTES) this.#wanted += bytes.readUInt32BE(1);
      if (this.#received < this.#wanted) {
        // What was gathered lies in the shared buffer.
        if (this.#chunks.length > 1) this.#chunks = [Buffer.from(bytes)];
        return;
      }
      this.#handlers.message(bytes.subarray(HEADER_BYTES, this.#wanted));
      const rest = bytes.subarray(this.#wanted);
      this.#chunks = rest.length === 0 ? [] : [Buffer.from(rest)];
      this.#received = rest.length;
      this.#wanted = HEADER_BYTES;
    }
  }
}

let shared = Buffer.allocUnsafe(1 << 20);

/** Copies chunks into the buffer that all streams of the process share: one message is looked at at a time. */
function gather(chunks: readonly Buffer[], length: number): Buffer {
  if (length > shared.length) shared = Buffer.allocUnsafe(length * 2);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(shared, at);
  return shared.subarray(0, length);
}
