import forge from 'node-forge';

const { asn1 } = forge;

/** A value of ASN.1. Contents are binary strings: one character a byte. */
export type DerNode = forge.asn1.Asn1;

export const tags = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  oid: 6,
  enumerated: 10,
  utf8: 12,
  sequence: 16,
  set: 17,
  printable: 19,
  ia5: 22,
  utcTime: 23,
  generalizedTime: 24,
} as const;

const universal: forge.asn1.Class = 0x00;
const contextSpecific: forge.asn1.Class = 0x80;

/** What nobody needs more of: certificates nest some ten levels deep. */
const maximumDepth = 32;

type FromDer = (bytes: string, options: Readonly<Record<string, unknown>>) => DerNode;
const fromDer = asn1.fromDer as unknown as FromDer;

const binary = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Bytes of a binary string. */
export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Throws where the bytes are not one value in the distinguished encoding. */
export function readDer(bytes: Uint8Array): DerNode {
  const node = fromDer(binary(bytes), {
    strict: true,
    parseAllBytes: true,
    decodeBitStrings: false,
    maxDepth: maximumDepth,
  });
  // What means the same in several encodings could be signed in one and checked in another.
  if (!writeDer(node).equals(bytes)) throw new Error('the encoding is not DER');
  return node;
}

export function writeDer(node: DerNode): Buffer {
  return bytesOf(asn1.toDer(node).getBytes());
}

/** The elements of a sequence, a set or an explicit tag. */
export function childrenOf(node: DerNode | undefined): readonly DerNode[] {
  if (!node || !Array.isArray(node.value)) throw new Error('a structure was expected');
  return node.value;
}

/** The content of a primitive value of that type. */
export function contentOf(node: DerNode | undefined, type: number): string {
  if (!node || node.tagClass !== universal || node.type !== type || typeof node.value !== 'string') {
    throw new Error('a value of another type was expected');
  }
  return node.value;
}

/** The bytes of an octet string. */
export const octetsOf = (node: DerNode | undefined): Buffer => bytesOf(contentOf(node, tags.octetString));

/** The bytes of a bit string with whole bytes. */
export function bitsOf(node: DerNode | undefined): Buffer {
  const content = contentOf(node, tags.bitString);
  if (content.charCodeAt(0) !== 0) throw new Error('a bit string of whole bytes was expected');
  return bytesOf(content.slice(1));
}

export const oidOf = (node: DerNode | undefined): string => asn1.derToOid(contentOf(node, tags.oid));

/** An element with a context-specific tag. */
export function isTagged(node: DerNode | undefined, tag: number): boolean {
  return node?.tagClass === contextSpecific && (node.type as number) === tag;
}

export const sequence = (...children: DerNode[]): DerNode =>
  asn1.create(universal, tags.sequence as number, true, children);
export const set = (...children: DerNode[]): DerNode => asn1.create(universal, tags.set as number, true, children);
export const primitive = (type: number, content: string): DerNode => asn1.create(universal, type, false, content);
export const tagged = (tag: number, content: string | DerNode[]): DerNode =>
  asn1.create(contextSpecific, tag, Array.isArray(content), content);
export const oid = (dotted: string): DerNode => primitive(tags.oid, asn1.oidToDer(dotted).getBytes());
export const octets = (bytes: Uint8Array): DerNode => primitive(tags.octetString, binary(bytes));
export const bits = (bytes: Uint8Array): DerNode => primitive(tags.bitString, `\0${binary(bytes)}`);
export const boolean = (value: boolean): DerNode => primitive(tags.boolean, value ? '\xff' : '\0');
export const integer = (value: number): DerNode => primitive(tags.integer, asn1.integerToDer(value).getBytes());

/** A positive integer of so many bytes. */
export function bigInteger(bytes: Uint8Array): DerNode {
  const padding = (bytes[0] ?? 0) & 0x80 ? '\0' : '';
  return primitive(tags.integer, padding + binary(bytes));
}

/** A time as certificates have it: two digits for the year until 2049 (RFC 5280, 4.1.2.5). */
export function time(at: Date): DerNode {
  return at.getUTCFullYear() < 2050
    ? primitive(tags.utcTime, asn1.dateToUtcTime(at))
    : primitive(tags.generalizedTime, asn1.dateToGeneralizedTime(at));
}

export function timeOf(node: DerNode | undefined): Date {
  const at =
    node?.type === (tags.utcTime as number)
      ? asn1.utcTimeToDate(contentOf(node, tags.utcTime))
      : asn1.generalizedTimeToDate(contentOf(node, tags.generalizedTime));
  if (Number.isNaN(at.getTime())) throw new Error('a time was expected');
  return at;
}
