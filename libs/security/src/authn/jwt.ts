import {
  createLocalJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { ownIdentity, type TrustDomains } from '../spiffe/trust-domains.ts';
import {
  absent,
  type Authentication,
  type AuthenticationRequest,
  type Authenticator,
  bearerToken,
  maximumTokenLength,
  refused,
} from './authenticator.ts';
import type { FetchText } from './fetch-text.ts';
import { JwksCache } from './jwks-cache.ts';
import { parseJwks } from './jwks.ts';
import type { JwtRule } from './jwt-rule.ts';
import { parseServiceAccount } from './kubernetes-token.ts';
import { fetchOpenIdProvider, openIdConfigurationUrl } from './open-id-provider.ts';

export interface JwtOptions {
  readonly rule: JwtRule;
  readonly trustDomains: () => TrustDomains;
  readonly fetchText: FetchText;
  readonly now?: () => number;
}

/** Signatures by a key pair only: a shared secret proves nothing of who signed. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Clocks may be apart by so many seconds. */
const clockTolerance = 60;

/** Knows callers by a token of an OpenID Connect issuer whose subject is a service account. */
export class JwtAuthenticator implements Authenticator {
  readonly name = 'IDTokenAuthenticator';
  readonly #options: JwtOptions;
  readonly #keyOf: JWTVerifyGetKey;

  constructor(options: JwtOptions) {
    this.#options = options;
    this.#keyOf = keysOf(options);
  }

  async authenticate(request: AuthenticationRequest): Promise<Authentication> {
    const token = bearerToken(request);
    if (token === undefined) return absent('no bearer token is presented');
    if (token.length > maximumTokenLength) return refused('the token is too long');
    const { rule, trustDomains, now = Date.now } = this.#options;
    try {
      const payload = await verified(token, this.#keyOf, {
        algorithms,
        clockTolerance,
        issuer: rule.issuer,
        audience: [...rule.audiences],
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(now()),
      });
      const account = parseServiceAccount(payload.sub ?? '');
      if (!account) return refused('the subject of the token is not a service account');
      const identity = ownIdentity(trustDomains(), account.namespace, account.serviceAccount);
      const pod = podOf(payload);
      const clusterId = request.metadata.get('clusterid') ?? '';
      const kubernetes = pod && { ...account, ...pod, clusterId };
      return {
        kind: 'authenticated',
        caller: { source: 'token', identities: [identity], ...(kubernetes ? { kubernetes } : {}) },
      };
    } catch (error) {
      return refused(problemOf(error));
    }
  }
}

/** A token that names no key is verified by whichever of the issuer's keys may have signed it: there are two while they rotate. */
async function verified(token: string, keyOf: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keyOf, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (problem) {
        if (!(problem instanceof errors.JWSSignatureVerificationFailed)) throw problem;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** The pod that Kubernetes has bound the token to. */
function podOf(payload: JWTPayload): { readonly podName: string; readonly podUid: string } | undefined {
  const { pod } = (payload['kubernetes.io'] ?? {}) as {
    readonly pod?: { readonly name?: unknown; readonly uid?: unknown };
  };
  if (typeof pod?.name !== 'string' || typeof pod.uid !== 'string') return undefined;
  return { podName: pod.name, podUid: pod.uid };
}

function keysOf({ rule, fetchText, now }: JwtOptions): JWTVerifyGetKey {
  if (rule.jwks !== undefined) return createLocalJWKSet(parseJwks(rule.jwks));
  const { jwksUri } = rule;
  const url = jwksUri === undefined ? () => discover(rule.issuer, fetchText) : () => Promise.resolve(jwksUri);
  return new JwksCache({ url, fetchText, ...(now ? { now } : {}) }).keyOf;
}

async function discover(issuer: string, fetchText: FetchText): Promise<string> {
  const provider = await fetchOpenIdProvider(openIdConfigurationUrl(issuer), fetchText);
  if (provider.issuer !== issuer) throw new Error('the issuer calls itself something else');
  return provider.jwksUri;
}

/** What is wrong with a token, without a part of it. */
function problemOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return claimProblems[error.claim] ?? `the claim ${error.claim} of the token is not right`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is not valid';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the token is signed with an algorithm that is not allowed';
  if (error instanceof errors.JWKSNoMatchingKey) return 'no key of the issuer matches the token';
  if (error instanceof errors.JOSEError) return 'the token is not a valid JWT';
  return error instanceof TypeError ? 'the token is not a valid JWT' : plain(error);
}

const claimProblems: Readonly<Record<string, string>> = {
  aud: 'the token is for another audience',
  iss: 'the token is from another issuer',
  nbf: 'the token is not valid yet',
  exp: 'the token has no expiry',
  sub: 'the token has no subject',
};

/** Our own errors, of `JwksCache`, are plain already. */
const plain = (error: unknown): string => (error instanceof Error ? error.message : 'the token cannot be verified');
