import { createPublicKey, type KeyObject } from 'node:crypto';
import { decode, encode } from '@kedge/envoy-api';
import {
  certificateServiceName,
  generateKey,
  type KeyOptions,
  makeCsr,
  parseCertificates,
  privateKeyPem,
} from '@kedge/security';
import type { CallerCredentials } from './credential-files.ts';
import { callMetadata, grpcClient, type Target } from './grpc-client.ts';
import type { WorkloadCertificate } from './workload-certificate.ts';

export interface CaClientOptions {
  readonly target: Target;
  readonly credentials: () => Promise<CallerCredentials>;
  readonly key: KeyOptions;
  /** Whether the key is given to Envoy in PKCS#8. */
  readonly pkcs8: boolean;
  /** The SPIFFE identity of the workload. */
  readonly identity: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly now?: () => number;
}

const timeoutMs = 10_000;

/**
 * Makes a key and has the authority of the mesh certify it.
 * @throws Error telling why there is no certificate.
 */
export async function requestCertificate(options: CaClientOptions): Promise<WorkloadCertificate> {
  const { target, key: kind, pkcs8, identity, ttl, now = Date.now } = options;
  const credentials = await options.credentials();
  const key = await generateKey(kind);
  const csr = await makeCsr(key, { names: [identity] });
  const validityDuration = `${Math.max(1, Math.round(ttl / 1000))}`;
  const request = encode('istio.v1.auth.IstioCertificateRequest', { csr, validityDuration });
  const answer = await create(target, credentials, request);
  const { certChain = [] } = decode('istio.v1.auth.IstioCertificateResponse', answer);
  if (certChain.length < 2) {
    throw new Error(
      `the authority answered with ${certChain.length} certificates, where a leaf and roots were expected`,
    );
  }
  const [chain, roots] = [joined(certChain.slice(0, -1)), joined(certChain.slice(-1))];
  return {
    key: pkcs8 ? key.export({ format: 'pem', type: 'pkcs8' }).toString() : privateKeyPem(key),
    chain,
    roots,
    issuedAt: now(),
    expiresAt: usableUntil({ key, chain, roots }, now()),
  };
}

interface Certified {
  readonly key: KeyObject;
  readonly chain: string;
  readonly roots: string;
}

/**
 * Envoy would refuse what can't be read or is for another key, and then nobody would ask again before half of its life.
 * @throws Error where it is of no use.
 */
function usableUntil({ key, chain, roots }: Certified, now: number): number {
  const [leaf] = [parseCertificates(chain), parseCertificates(roots)].flat();
  const { publicKey, notAfter } = leaf!;
  if (!createPublicKey(key).equals(publicKey)) throw new Error('the authority certified another key');
  if (notAfter.getTime() > now) return notAfter.getTime();
  throw new Error(`by the clock of this host the new certificate has expired at ${notAfter.toISOString()}`);
}

/** PEM texts, each ending its line. */
const joined = (texts: readonly string[]): string => texts.map((text) => `${text.trimEnd()}\n`).join('');

async function create(target: Target, credentials: CallerCredentials, request: Uint8Array): Promise<Uint8Array> {
  const client = grpcClient(target, credentials);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const bytes = (value: Uint8Array) => Buffer.from(value);
  client.makeUnaryRequest(
    `/${certificateServiceName}/CreateCertificate`,
    bytes,
    bytes,
    request,
    callMetadata(target, credentials),
    { deadline: Date.now() + timeoutMs },
    (error, response) => (error ? reject(error) : resolve(response!)),
  );
  try {
    return await promise;
  } finally {
    client.close();
  }
}
