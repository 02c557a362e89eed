import { hash } from 'node:crypto';
import {
  decodeAny,
  encode,
  type EncodedResource,
  type MessageName,
  type Messages,
  type Requirement,
  typeUrl,
  wrapAny,
} from '@kedge/envoy-api';

export type { EncodedResource, Requirement } from '@kedge/envoy-api';

/** A part of a resource (a virtual host, a filter chain), encoded by itself so that what holds it needs not encode it again. */
export interface EncodedPiece {
  readonly name: string;
  readonly version: string;
  readonly bytes: Uint8Array;
}

export const versionOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url').slice(0, 22);

export function encodeResource<N extends MessageName>(
  type: N,
  name: string,
  message: Messages[N],
  requires?: readonly Requirement[],
): EncodedResource {
  return resourceOfBytes(type, name, encode(type, message), requires);
}

/** A resource whose message is encoded already, from pieces say. */
export function resourceOfBytes(
  type: MessageName,
  name: string,
  message: Uint8Array,
  requires?: readonly Requirement[],
): EncodedResource {
  const any = wrapAny(typeUrl(type), message);
  return { name, version: versionOf(any), any, ...(requires?.length ? { requires } : {}) };
}

export function encodePiece<N extends MessageName>(type: N, name: string, message: Messages[N]): EncodedPiece {
  const bytes = encode(type, message);
  return { name, version: versionOf(bytes), bytes };
}

/** The message that a resource holds. */
export function decodeResource<N extends MessageName>(_type: N, { any }: EncodedResource): Messages[N] {
  const { '@type': _, ...message } = decodeAny(any);
  return message as Messages[N];
}

interface Versioned {
  readonly version: string;
}

/** Whether two results, or the lack of one, are the same on the wire. */
export function sameVersion(a: Versioned | undefined, b: Versioned | undefined): boolean {
  return a?.version === b?.version;
}
