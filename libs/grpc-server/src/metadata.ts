import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import type { CallStatus, OutgoingMetadata } from './status.ts';

/**
 * Metadata of a request: keys in lower case, values of a repeated key joined by a comma. Values of keys that end in `-bin`
 * are base64; `binaryValues` decodes them.
 */
export type Metadata = ReadonlyMap<string, string>;

/** gRPC clients refuse header blocks above 8 to 16 KiB, so a status text keeps well below that. */
const maxMessageBytes = 4096;

export function readMetadata(headers: IncomingHttpHeaders): Metadata {
  const metadata = new Map<string, string>();
  for (const [key, value] of Object.entries(headers)) {
    if (value !== undefined && !key.startsWith(':')) {
      metadata.set(key, Array.isArray(value) ? value.join(', ') : value);
    }
  }
  return metadata;
}

/** The values of a `-bin` key; none where the key is absent. */
export function binaryValues(metadata: Metadata, key: string): readonly Uint8Array[] {
  const value = metadata.get(key);
  return value === undefined ? [] : value.split(',').map((part) => Buffer.from(part.trim(), 'base64'));
}

export function metadataHeaders(metadata: OutgoingMetadata | undefined): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : Buffer.from(value).toString('base64'),
    ]),
  );
}

/** The trailers that carry a status (gRPC over HTTP/2, "Responses"). */
export function statusTrailers({ code, message, details, trailers }: CallStatus): OutgoingHttpHeaders {
  return {
    ...(trailers && metadataHeaders(trailers)),
    'grpc-status': String(code),
    ...(message && { 'grpc-message': percentEncode(message) }),
    ...(details && { 'grpc-status-details-bin': Buffer.from(details).toString('base64') }),
  };
}

/** Percent-encodes the UTF-8 bytes of a status text that are not printable ASCII; a text that is too long is cut. */
export function percentEncode(text: string): string {
  if (text.length <= maxMessageBytes && /^[ -$&-~]*$/.test(text)) return text;
  let encoded = '';
  for (const character of text.toWellFormed()) {
    const piece = /^[ -$&-~]$/.test(character)
      ? character
      : Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
    if (encoded.length + piece.length > maxMessageBytes) break;
    encoded += piece;
  }
  return encoded;
}
