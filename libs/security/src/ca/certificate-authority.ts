import { createPublicKey } from 'node:crypto';
import { weaknessOf, keyAlgorithmOf, type KeyAlgorithm } from '../x509/algorithms.ts';
import type { AltName } from '../x509/alt-names.ts';
import { type Csr, parseCsr } from '../x509/csr.ts';
import { type DerNode, readDer } from '../x509/der.ts';
import { issueLeaf } from '../x509/issue.ts';
import { generateKey, privateKeyPem } from '../x509/keys.ts';
import { CaError } from './ca-error.ts';
import type { CaMaterial } from './ca-material.ts';
import { clockSkew } from './clock-skew.ts';

const HOUR = 3_600_000;

/** How long certificates of workloads are valid, in milliseconds. */
export interface LifetimeLimits {
  /** For who doesn't say. */
  readonly defaultTtl: number;
  readonly maximumTtl: number;
}

export const defaultLifetimes: LifetimeLimits = { defaultTtl: 24 * HOUR, maximumTtl: 90 * 24 * HOUR };

export interface SignOptions {
  /** The names that the certificate gets, whatever the request asks for. */
  readonly names: readonly string[];
  /** Whether the request may ask for this name. */
  readonly mayAskFor: (name: AltName) => boolean;
  /** Milliseconds; the default where it isn't positive. */
  readonly ttl: number;
}

/** A key with its certificate. */
export interface IssuedKey {
  readonly key: string;
  /** The certificate, followed by those between it and the root. */
  readonly chain: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface CertificateAuthorityOptions {
  readonly material: CaMaterial;
  readonly lifetimes?: LifetimeLimits;
  readonly now?: () => number;
}

/** Signs certificates of workloads. What it signs with may be replaced while it does. */
export class CertificateAuthority {
  readonly #lifetimes: LifetimeLimits;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #material: CaMaterial;

  constructor({ material, lifetimes = defaultLifetimes, now = Date.now }: CertificateAuthorityOptions) {
    this.#material = material;
    this.#lifetimes = lifetimes;
    this.#now = now;
  }

  get material(): CaMaterial {
    return this.#material;
  }

  /** The roots as PEM. */
  get roots(): string {
    return [...new Set(this.#material.roots.map(({ pem }) => pem))].join('');
  }

  /** Signs with other material from now on; listeners are told where anything is different. */
  replace(material: CaMaterial): void {
    const [before, after] = [this.#material.texts, material.texts];
    this.#material = material;
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener after each replacement. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Signs a request. @returns the certificate as PEM. Rejects with a `CaError`. */
  async sign(csrPem: string, { names, mayAskFor, ttl }: SignOptions): Promise<string> {
    const csr = checkedCsr(csrPem);
    const refused = csr.altNames.find((name) => !mayAskFor(name));
    if (refused) {
      throw new CaError(
        'ID_ERROR',
        `the request asks for ${refused.kind} ${printable(refused.value)}, which is not the caller's`,
      );
    }
    const { maximumTtl } = this.#lifetimes;
    if (ttl > maximumTtl) {
      throw new CaError(
        'TTL_ERROR',
        `requested TTL ${ttl / 1000}s is greater than the max allowed TTL ${maximumTtl / 1000}s`,
      );
    }
    return this.#issue(csr.spki, names, { ttl, commonName: csr.commonName ? commonNameFor(names) : undefined });
  }

  /** Makes a key and its certificate for a server of our own. */
  async issueKey(names: readonly string[], ttl: number): Promise<IssuedKey> {
    const key = await generateKey({ algorithm: this.#servingAlgorithm() });
    const spki = readDer(createPublicKey(key).export({ format: 'der', type: 'spki' }));
    const now = this.#now();
    const certificate = await this.#issue(spki, names, { ttl });
    const chain = [certificate, ...this.#material.chain.map(({ pem }) => pem)].join('');
    return { key: privateKeyPem(key), chain, ...this.#validity(now, ttl) };
  }

  /** A curve, also below an RSA root: a handshake costs a tenth. */
  #servingAlgorithm(): KeyAlgorithm {
    return keyAlgorithmOf(this.#material.signer.key) === 'P-384' ? 'P-384' : 'P-256';
  }

  async #issue(
    spki: DerNode,
    names: readonly string[],
    { ttl, commonName }: { readonly ttl: number; readonly commonName?: string | undefined },
  ): Promise<string> {
    const issuer = this.#material;
    const validity = this.#validity(this.#now(), ttl);
    try {
      return await issueLeaf({ issuer, spki, names, ...validity, ...(commonName === undefined ? {} : { commonName }) });
    } catch (error) {
      throw new CaError('CERT_GEN_ERROR', 'the certificate could not be made', { cause: error });
    }
  }

  /** Nothing is valid for longer than its issuer. */
  #validity(now: number, ttl: number): { readonly notBefore: Date; readonly notAfter: Date } {
    const until = this.#material.certificate.notAfter.getTime();
    if (now >= until) {
      throw new CaError('CERT_GEN_ERROR', `signing certificate has expired at ${new Date(until).toISOString()}`);
    }
    const notAfter = Math.min(now + (ttl > 0 ? ttl : this.#lifetimes.defaultTtl), until);
    return { notBefore: new Date(now - clockSkew), notAfter: new Date(notAfter) };
  }
}

function checkedCsr(pem: string): Csr {
  const csr = parsedCsr(pem);
  const problem = csr.asksForCa
    ? 'the request asks for a certificate of an authority'
    : (weaknessOf(csr.publicKey) ??
      (csr.isSigned ? undefined : 'the request is not signed with the key that it is for'));
  if (problem !== undefined) throw new CaError('CSR_ERROR', problem);
  return csr;
}

function parsedCsr(pem: string): Csr {
  try {
    return parseCsr(pem);
  } catch (error) {
    throw new CaError('CSR_ERROR', error instanceof Error ? error.message : 'it cannot be read', { cause: error });
  }
}

/** A common name has at most 64 characters (RFC 5280, appendix A.1); a longer one is left out. */
function commonNameFor([first = '']: readonly string[]): string | undefined {
  return first.length <= 64 ? first : undefined;
}

/** A name from a request, made fit for a message. */
const printable = (value: string): string => JSON.stringify(value.slice(0, 200));
