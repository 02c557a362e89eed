import { gunzipSync } from 'node:zlib';
import { GrpcError, Status } from './status.ts';

/** The value of `grpc-accept-encoding`: the encodings that this server reads. It sends messages uncompressed. */
export const acceptedEncodings = 'identity,gzip';

/** Turns the body of a compressed message into the message. */
export type Decompress = (body: Uint8Array) => Uint8Array;

/**
 * The decoder for a request's `grpc-encoding`. It is synchronous, because messages must stay in order and are bounded by
 * `maxBytes`, also after decompression.
 */
export function decompressor(encoding: string, maxBytes: number): Decompress {
  switch (encoding) {
    case 'identity':
      return () => {
        throw new GrpcError(Status.INTERNAL, 'a message is marked as compressed, but the call has no grpc-encoding');
      };
    case 'gzip':
      return (body) => gunzip(body, maxBytes);
    default:
      throw new GrpcError(Status.UNIMPLEMENTED, `grpc-encoding ${encoding} is not supported`, {
        trailers: { 'grpc-accept-encoding': acceptedEncodings },
      });
  }
}

function gunzip(body: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      const message = `a message is larger than ${maxBytes} bytes once it is decompressed`;
      throw new GrpcError(Status.RESOURCE_EXHAUSTED, message, { cause });
    }
    throw new GrpcError(Status.INTERNAL, 'a message marked as gzip cannot be decompressed', { cause });
  }
}
