import {
  boolean,
  bytesOf,
  childrenOf,
  contentOf,
  type DerNode,
  integer,
  octets,
  octetsOf,
  oid,
  oidOf,
  primitive,
  readDer,
  sequence,
  tags,
  writeDer,
} from './der.ts';

/** An extension of a certificate or of a request for one. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

/** Reads the elements of `Extensions` (RFC 5280, 4.1). An extension that is there twice is an error. */
export function readExtensions(nodes: readonly DerNode[]): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const node of nodes) {
    const [id, second, third] = childrenOf(node);
    const name = oidOf(id);
    if (extensions.has(name)) throw new Error(`the extension ${name} is there twice`);
    const critical = third !== undefined && contentOf(second, tags.boolean) !== '\0';
    extensions.set(name, { oid: name, critical, value: octetsOf(third ?? second) });
  }
  return extensions;
}

export function extension(id: string, value: DerNode, { critical = false } = {}): DerNode {
  const flag = critical ? [boolean(true)] : [];
  return sequence(oid(id), ...flag, octets(writeDer(value)));
}

/** The bits of KeyUsage, in their order (RFC 5280, 4.2.1.3). */
const usages = [
  'digitalSignature',
  'contentCommitment',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;

export type KeyUsage = (typeof usages)[number];

export function readKeyUsage(value: Uint8Array): readonly KeyUsage[] {
  const bytes = bytesOf(contentOf(readDer(value), tags.bitString)).subarray(1);
  return usages.filter((_, at) => ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
}

export function keyUsage(...wanted: readonly KeyUsage[]): DerNode {
  const positions = wanted.map((usage) => usages.indexOf(usage));
  const last = Math.max(...positions);
  const bytes = Buffer.alloc((last >> 3) + 1);
  for (const at of positions) bytes[at >> 3]! |= 0x80 >> (at & 7);
  return primitive(tags.bitString, String.fromCharCode(7 - (last & 7)) + bytes.toString('latin1'));
}

export interface BasicConstraints {
  readonly isCa: boolean;
  /** How many further authorities may stand between this and the last certificate. */
  readonly pathLength: number | undefined;
}

export function readBasicConstraints(value: Uint8Array): BasicConstraints {
  const [first, second] = childrenOf(readDer(value));
  const isCa = first?.type === (tags.boolean as number) && contentOf(first, tags.boolean) !== '\0';
  const length = first?.type === (tags.integer as number) ? first : second;
  const content = length && bytesOf(contentOf(length, tags.integer));
  return { isCa, pathLength: content && (content.length > 2 ? Infinity : content.readIntBE(0, content.length)) };
}

export function basicConstraints({ isCa, pathLength }: BasicConstraints): DerNode {
  if (!isCa) return sequence();
  return sequence(boolean(true), ...(pathLength === undefined ? [] : [integer(pathLength)]));
}

/** The identifiers of an ExtendedKeyUsage. */
export function readExtendedKeyUsage(value: Uint8Array): readonly string[] {
  return childrenOf(readDer(value)).map(oidOf);
}
