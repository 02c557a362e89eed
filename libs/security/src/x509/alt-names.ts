import { isIP } from 'node:net';
import { spiffeScheme } from '../spiffe/identity.ts';
import { bytesOf, childrenOf, type DerNode, readDer, sequence, tagged } from './der.ts';

/** A name of a certificate's subject. */
export interface AltName {
  readonly kind: 'uri' | 'dns' | 'ip' | 'email' | 'other';
  readonly value: string;
}

const kinds: Readonly<Record<number, AltName['kind']>> = { 1: 'email', 2: 'dns', 6: 'uri', 7: 'ip' };
const tagOf = { dns: 2, uri: 6, ip: 7 } as const;

/** Reads a SubjectAltName (RFC 5280, 4.2.1.6). */
export function readAltNames(extension: Uint8Array): readonly AltName[] {
  return childrenOf(readDer(extension)).map((node) => {
    const kind = kinds[node.type] ?? 'other';
    if (kind === 'other' || typeof node.value !== 'string') return { kind: 'other', value: '' };
    return { kind, value: kind === 'ip' ? ipText(bytesOf(node.value)) : node.value };
  });
}

/** A SubjectAltName of SPIFFE URIs, addresses and DNS names, each recognised by its form. */
export function altNames(names: readonly string[]): DerNode {
  return sequence(
    ...names.map((name) => {
      if (name.startsWith(spiffeScheme)) return tagged(tagOf.uri, asciiOnly(name));
      if (isIP(name) > 0) return tagged(tagOf.ip, ipBytes(name).toString('latin1'));
      return tagged(tagOf.dns, asciiOnly(name));
    }),
  );
}

function asciiOnly(name: string): string {
  if (!/^[\x21-\x7e]+$/.test(name)) throw new Error('a name in a certificate must be printable ASCII');
  return name;
}

function ipBytes(text: string): Buffer {
  if (isIP(text) === 4) return Buffer.from(text.split('.').map(Number));
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const middle = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...middle, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function ipText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw new Error('an address of 4 or 16 bytes was expected');
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
