import type { EncodedResource } from './answer.ts';
import type { Protocol } from './events.ts';
import { type FramedRuns, isReferredTo, runsOf } from './framed-runs.ts';

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

export function frameHeader(protocol: Protocol, { version, typeUrl, nonce, controlPlane }: Header): Uint8Array {
  const control = Buffer.byteLength(controlPlane);
  const identifier = control === 0 ? 0 : fieldLength(control);
  const length =
    fieldLength(Buffer.byteLength(version)) +
    fieldLength(Buffer.byteLength(typeUrl)) +
    fieldLength(Buffer.byteLength(nonce)) +
    (identifier === 0 ? 0 : fieldLength(identifier));
  const writer = new Writer(length, 'brief');
  writer.text(tag.version, version);
  writer.text(tag.typeUrl, typeUrl);
  writer.text(tag.nonce, nonce);
  if (identifier > 0) {
    writer.prefix(tag.controlPlane[protocol], identifier);
    writer.text(tag.controlPlaneIdentifier, controlPlane);
  }
  return writer.buffer;
}

/** Resources as `DiscoveryResponse.resources`. @param shared where the parts that other bodies hold too are looked for. */
export function frameSotwBody(resources: readonly EncodedResource[], shared?: FramedRuns): Body {
  return frameBody(
    resources,
    shared,
    ({ any }) => fieldLength(any.length) - any.length,
    (writer, { any }) => writer.prefix(tag.resources, any.length),
  );
}

/** Resources as `DeltaDiscoveryResponse.resources` with name and version, and names as `removed_resources`. */
export function frameDeltaBody(
  resources: readonly EncodedResource[],
  removed: readonly string[],
  shared?: FramedRuns,
): Body {
  const body = frameBody(
    resources,
    shared,
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
 * Small resources are gathered in runs, since each chunk costs a write; large ones stay where they are.
 * @param prefixLength how many bytes `writePrefix` writes before the resource's own.
 */
function frameBody(
  resources: readonly EncodedResource[],
  shared: FramedRuns | undefined,
  prefixLength: (resource: EncodedResource) => number,
  writePrefix: (writer: Writer, resource: EncodedResource) => void,
): Body {
  const frameRun = (run: readonly EncodedResource[]): Uint8Array => {
    const writer = new Writer(run.reduce((sum, resource) => sum + prefixLength(resource) + resource.any.length, 0));
    for (const resource of run) {
      writePrefix(writer, resource);
      writer.raw(resource.any);
    }
    return writer.buffer;
  };
  const chunks: Uint8Array[] = [];
  for (const run of runsOf(resources)) {
    const [first] = run;
    if (first && isReferredTo(first)) {
      const writer = new Writer(prefixLength(first));
      writePrefix(writer, first);
      chunks.push(writer.buffer, first.any);
    } else chunks.push(shared ? shared.get(run, () => frameRun(run)) : frameRun(run));
  }
  return { chunks, bytes: chunks.reduce((sum, { length }) => sum + length, 0) };
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

  /** @param life a piece of Node's pool costs less than memory of its own, but keeps all of the pool as long as it lives. */
  constructor(length: number, life: 'brief' | 'long' = 'long') {
    this.buffer = life === 'brief' ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
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
}
