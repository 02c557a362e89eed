import {
  audiencesOf,
  type CaTexts,
  type ExpectedFields,
  formatIdentity,
  hasAudience,
  inTrustDomains,
  isBlockedAddress,
  isSameJwks,
  type KeyUsage,
  parseCertificate,
  parseCertificates,
  parseCsr,
  parseIdentity,
  parseJwks,
  parseJwtRule,
  parsePrivateKey,
  readCaMaterial,
  readTextFile,
  requiredText,
  rsaBitsOf,
  timeUntilRenewal,
  unverifiedClaims,
  unverifiedExpiry,
  verifyCertificate,
} from '@kedge/security';
import { join } from 'node:path';
import type { Outcome, Row, Tables } from './tables.ts';

/** The tables of certificates, tokens and identities. @param dir the folder that their files are in */
export function pkiTables(dir: string): Tables {
  /** The error names the file as the row does. */
  const file = (name: unknown): Promise<string> => requiredText(String(name), (path) => readTextFile(join(dir, path)));
  const optional = async (name: unknown): Promise<string | undefined> => (name ? file(name) : undefined);
  const files = async (names: unknown): Promise<string> =>
    (await Promise.all(((names ?? []) as readonly string[]).map(file))).join('');

  const bundle = async ({ caCertFile, caKeyFile, certChainFile, rootCertFile, crlFile }: Row): Promise<void> => {
    const texts: CaTexts = {
      certificate: await file(caCertFile),
      key: await file(caKeyFile),
      chain: await files(certChainFile),
      roots: await file(rootCertFile),
      revocations: await optional(crlFile),
    };
    readCaMaterial(texts);
  };
  const pemText = async ({ pem }: Row): Promise<string> => (String(pem).startsWith('certs/') ? file(pem) : String(pem));

  return {
    'certs.yaml': {
      verifiedBundle: (row) => fails(row.expectedErr, () => bundle(row)),
      verifiedBundleWithCrl: (row) => fails(row.expectedErr, () => bundle(row)),
      rootCertFile: (row) => fails(row.expectedErr, async () => parseCertificates(await file(row.rootCertFile))),
      verifyCert: (row) =>
        fails(row.expectedErr, async () => {
          const key = await optional(row.privPem);
          const [chain, roots] = [(await optional(row.certChainPem)) ?? '', (await optional(row.rootCertPem)) ?? ''];
          verifyCertificate(
            { chain, roots, ...(key === undefined ? {} : { key }) },
            expectedFields(row.expectedFields),
          );
        }),
      certExpired: async ({ filepath, expected }) => ({
        wanted: expected,
        found: parseCertificate(await file(filepath)).notAfter < new Date(),
      }),
      renewWaitTime: (row) =>
        fails(row.expectedErr, async () => {
          const pem = String(row.cert).startsWith('certs/') ? await file(row.cert) : String(row.cert);
          const wait = timeUntilRenewal(parseCertificate(pem), 0.5, timeAfter(String(row.now)));
          return { wanted: row.expectedWaitTime, found: Math.floor(wait / 1000) };
        }),
    },
    'pem.yaml': {
      certificate: (row) =>
        fails(row.errMsg, async () => {
          const { publicKey } = parseCertificate(await pemText(row));
          return { wanted: row.publicKeyAlgo, found: keyKinds[publicKey.asymmetricKeyType ?? ''] };
        }),
      certificateChain: (row) => fails(row.errMsg, async () => parseCertificates(await pemText(row))),
      csr: (row) =>
        fails(row.errMsg, async () => {
          const { publicKey } = parseCsr(await pemText(row));
          return { wanted: row.algo, found: keyKinds[publicKey.asymmetricKeyType ?? ''] };
        }),
      key: (row) =>
        fails(row.errMsg, async () => {
          const key = parsePrivateKey(await pemText(row));
          return { wanted: row.keyType, found: keyKinds[key.asymmetricKeyType ?? ''] };
        }),
      rsaKeySize: (row) =>
        fails(row.errMsg, async () => ({ wanted: row.size, found: rsaBitsOf(parsePrivateKey(await pemText(row))) })),
    },
    'jwt.yaml': {
      expiration: (row) =>
        fails(row.expectedErr, () => {
          const expiry = unverifiedExpiry(String(row.jwt));
          const wanted = typeof row.expectedExp === 'string' ? new Date(row.expectedExp) : undefined;
          return { wanted: wanted?.getTime(), found: expiry?.getTime() };
        }),
      audience: ({ jwt, aud = [] }) => ({ wanted: aud, found: audiencesOf(unverifiedClaims(String(jwt))) }),
      checkAudience: ({ audToCheck, audExpected, expectRet }) => ({
        wanted: expectRet,
        found: hasAudience(audToCheck as readonly string[], audExpected as readonly string[]),
      }),
      newJwtAuthenticator: ({ jwtRule, expectErr }) => throws(expectErr, () => parseJwtRule(String(jwtRule))),
    },
    'jwks.yaml': {
      compareResponses: ({ args, want }) => {
        const { oldKeyString, newKeyString } = args as Readonly<Record<string, string>>;
        return { wanted: want, found: !isSameJwks(oldKeyString ?? '', newKeyString ?? '') };
      },
      validateFormat: ({ body, wantErr }) => throws(wantErr, () => parseJwks(String(body))),
      blockedAddresses: ({ ip, blocked }) => ({ wanted: blocked, found: isBlockedAddress(String(ip)) }),
    },
    'spiffe.yaml': {
      generate: ({ trustDomain, namespace = '', serviceAccount = '', expectedURI, expectedError }) =>
        fails(expectedError, () => {
          const [domain, space, account] = [trustDomain, namespace, serviceAccount].map(String) as [
            string,
            string,
            string,
          ];
          const found = formatIdentity({ trustDomain: domain, namespace: space, serviceAccount: account });
          return { wanted: expectedURI, found };
        }),
      expandTrustDomains: ({ spiffeURI, trustDomains, want }) => ({
        wanted: (want as readonly string[]).toSorted(),
        found: inTrustDomains(spiffeURI as readonly string[], trustDomains as readonly string[]).toSorted(),
      }),
      identity: ({ input, expected }) => ({ wanted: expected ?? undefined, found: parseIdentity(String(input)) }),
    },
  };
}

const keyKinds: Readonly<Record<string, string>> = { rsa: 'RSA', ec: 'ECDSA' };
const purposes: Readonly<Record<string, string>> = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' };

function expectedFields(fields: unknown): ExpectedFields {
  const {
    host,
    notBefore,
    tTL,
    extKeyUsage = [],
    keyUsage = '',
    isCA = false,
    org,
  } = fields as Readonly<Record<string, unknown>>;
  return {
    host: String(host ?? ''),
    ...(notBefore === undefined ? {} : { notBefore: new Date(String(notBefore)) }),
    ttl: Number.parseInt(String(tTL ?? 0), 10) * 1000,
    extendedKeyUsage: (extKeyUsage as readonly string[]).map((name) => purposes[name] ?? name),
    keyUsage: String(keyUsage).split('+').filter(Boolean) as unknown as readonly KeyUsage[],
    isCa: Boolean(isCA),
    ...(org === undefined ? {} : { organization: String(org) }),
  };
}

/**
 * Runs what a row describes: its result where it succeeds, else whether the error has the wanted text. Of that counts what
 * stands before the texts and forms of Go's libraries.
 */
async function fails(wantedError: unknown, run: () => unknown): Promise<Outcome> {
  const wanted = wantedError ? String(wantedError) : undefined;
  try {
    const result = await run();
    return wanted === undefined && isOutcome(result) ? result : { wanted, found: undefined };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const own = wanted?.split(/\s*:? ?x509:| \d{4}-\d\d-\d\d|: \*/)[0];
    return { wanted, found: own !== undefined && message.includes(own) ? wanted : message };
  }
}

const isOutcome = (value: unknown): value is Outcome =>
  typeof value === 'object' && value !== null && 'wanted' in value && 'found' in value;

/** The first whole millisecond that isn't before a time with nanoseconds. */
const timeAfter = (text: string): number => Date.parse(text) + (/\.\d{3}\d*[1-9]/.test(text) ? 1 : 0);

function throws(wanted: unknown, run: () => unknown): Outcome {
  try {
    run();
    return { wanted, found: false };
  } catch {
    return { wanted, found: true };
  }
}
