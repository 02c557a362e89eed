import type { EncodedResource } from './answer.ts';
import type { Protocol } from './events.ts';

/**
 * Bytes of `DiscoveryResponse` and `DeltaDiscoveryResponse`. A response is a header, made for one connection, and a body,
 * which may be shared. (The order of fields is free in protobuf.)
 */

/** The part of a response that holds resources and removed names. Its buffers never change. */
export interface Body {
  readonly chunks: readonly Uint8Array[];
  readonly bytes: number;
}

export interface Header {
  readonly version: string;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly controlPlane: string;
}

/** Fields of the messages, as tags of length-delimited values (field number * 8 + 2). */
const tag = {
  version: 0x0a,
  resources: 0x12,
  typeUrl: 0x22,
  nonce: 0x2a,
  removed: 0x32,
  controlPlane: { sotw: 0x32, delta: 0x3a },
  resource: { version: 0x0a, any: 0x12, name: 0x1a },
  controlPlaneIdentifier: 0x0a,
} as const;

/** From this size on an encoded resource is referred to, not copied into the body's buffer. */
const referredToBytes = 64 * 1024;

export function frameHeader(protocol: Protocol, { version, typeUrl, nonce, controlPlane }: Header): Uint8Array {
  const control = Buffer.byteLength(controlPlane);
  const identifier = control === 0 ? 0 : fieldLength(control);
  const length =
    fieldLength(Buffer.byteLength(version)) +
    fieldLength(Buffer.byteLength(typeUrl)) +
    fieldLength(Buffer.byteLength(nonce)) +
    (identifier === 0 ? 0 : fieldLength(identifier));
  const writer = new Writer(length);
  writer.text(tag.version, version);
  writer.text(tag.typeUrl, typeUrl);
  writer.text(tag.nonce, nonce);
  if (identifier > 0) {
    writer.prefix(tag.controlPlane[protocol], identifier);
    writer.text(tag.controlPlaneIdentifier, controlPlane);
  }
  return writer.buffer;
}

/** Resources as `DiscoveryResponse.resources`. */
export function frameSotwBody(resources: readonly EncodedResource[]): Body {
  return frameBody(
    resources,
    ({ any }) => fieldLength(any.length) - any.length,
    (writer, { any }) => writer.prefix(tag.resources, any.length),
  );
}

/** Resources as `DeltaDiscoveryResponse.resources` with name and version, and names as `removed_resources`. */
export function frameDeltaBody(resources: readonly EncodedResource[], removed: readonly string[]): Body {
  const body = frameBody(
    resources,
    (resource) => fieldLength(deltaLength(resource)) - resource.any.length,
    (writer, resource) => {
      writer.prefix(tag.resources, deltaLength(resource));
      writer.text(tag.resource.version, resource.version);
      writer.text(tag.resource.name, resource.name);
      writer.prefix(tag.resource.any, resource.any.length);
    },
  );
  if (removed.length === 0) return body;
  const writer = new Writer(removed.reduce((sum, name) => sum + fieldLength(Buffer.byteLength(name)), 0));
  for (const name of removed) writer.text(tag.removed, name);
  return { chunks: [...body.chunks, writer.buffer], bytes: body.bytes + writer.buffer.length };
}

/** Length of a `Resource` message. */
function deltaLength({ version, name, any }: EncodedResource): number {
  return fieldLength(Buffer.byteLength(version)) + fieldLength(Buffer.byteLength(name)) + fieldLength(any.length);
}

/**
 * Small resources are gathered in one buffer, since each chunk costs a write; large ones stay where they are.
 * @param prefixLength how many bytes `writePrefix` writes before the resource's own.
 */
function frameBody(
  resources: readonly EncodedResource[],
  prefixLength: (resource: EncodedResource) => number,
  writePrefix: (writer: Writer, resource: EncodedResource) => void,
): Body {
  let gathered = 0;
  let bytes = 0;
  for (const resource of resources) {
    const prefix = prefixLength(resource);
    bytes += prefix + resource.any.length;
    gathered += resource.any.length < referredToBytes ? prefix + resource.any.length : prefix;
  }
  const writer = new Writer(gathered);
  const chunks: Uint8Array[] = [];
  for (const resource of resources) {
    writePrefix(writer, resource);
    if (resource.any.length < referredToBytes) writer.raw(resource.any);
    else chunks.push(writer.take(), resource.any);
  }
  const rest = writer.take();
  if (rest.length > 0) chunks.push(rest);
  return { chunks, bytes };
}

/** Length of a length-delimited field with a tag of one byte. */
function fieldLength(length: number): number {
  return 1 + varintLength(length) + length;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) length += 1;
  return length;
}

/** Fills a buffer of a length that was computed before. */
class Writer {
  readonly buffer: Buffer;
  #at = 0;
  #taken = 0;

  constructor(length: number) {
    this.buffer = Buffer.allocUnsafeSlow(length);
  }

  prefix(fieldTag: number, length: number): void {
    this.buffer[this.#at++] = fieldTag;
    let rest = length;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.buffer[this.#at++] = (rest % 128) + 128;
    this.buffer[this.#at++] = rest;
  }

  text(fieldTag: number, text: string): void {
    this.prefix(fieldTag, Buffer.byteLength(text));
    this.#at += this.buffer.write(text, this.#at);
  }

  raw(bytes: Uint8Array): void {
    this.buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** What was written since the last taking. */
  take(): Uint8Array {
    const taken = this.buffer.subarray(this.#taken, this.#at);
    this.#taken = this.#at;
    return taken;
  }
}
