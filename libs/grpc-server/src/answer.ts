import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

/** How long a client may go on sending after it was answered in full. */
const lingerMs = 1000;

/** Answers with headers alone (where they carry a status: "Trailers-Only" of gRPC) and ignores what the client sends. */
export function answer(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  stream.respond(headers, { endStream: true });
  ignoreInbound(stream);
}

/**
 * Ignores what a client still sends after its answer, and resets the stream (RFC 9113, section 8.1) where it doesn't stop
 * by itself, as clients do once they have the status. A reset at once would overtake that status, for nghttp2 drops what a
 * closing stream has queued.
 */
export function ignoreInbound(stream: ServerHttp2Stream): void {
  stream.removeAllListeners('data');
  stream.resume();
  if (stream.readableEnded) return;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), lingerMs).unref();
  const stop = (): void => clearTimeout(timer);
  stream.once('end', stop).once('close', stop);
}
