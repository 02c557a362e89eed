import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TokenReviewStatus } from '@kedge/kube';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import { createHmac, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { testAuthority } from '../testing/authorities.ts';
import { certificateOf } from '../x509/certificate.ts';
import { isRevoked } from '../x509/revocations.ts';
import { authenticate, type AuthenticationRequest, type Authenticator } from './authenticator.ts';
import { ClientCertificateAuthenticator } from './client-certificate.ts';
import { JwtAuthenticator } from './jwt.ts';
import type { JwtRule } from './jwt-rule.ts';
import { KubernetesTokenAuthenticator } from './kubernetes-token.ts';

const trustDomains = () => ({ own: 'mesh.example', aliases: ['old.example'] });
const reviews = 'spiffe://mesh.example/ns/shop/sa/reviews';
const issuer = 'https://issuer.example';

const withToken = (token: string): AuthenticationRequest => ({
  address: '127.0.0.1:1',
  tls: true,
  certificate: undefined,
  metadata: new Map([['authorization', `Bearer ${token}`]]),
});

async function outcome(authenticator: Authenticator, request: AuthenticationRequest): Promise<unknown> {
  const result = await authenticator.authenticate(request);
  return result.kind === 'authenticated' ? result.caller.identities : result.problem;
}

const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwksOf = async (...keys: readonly (readonly [kid: string, key: KeyObject])[]): Promise<string> =>
  JSON.stringify({
    keys: await Promise.all(keys.map(async ([kid, key]) => ({ ...(await exportJWK(key)), kid, alg: 'ES256' }))),
  });

interface TokenOptions {
  readonly claims?: JWTPayload;
  readonly key?: KeyObject;
  readonly kid?: string | undefined;
}

function token({ claims = {}, key = signing.privateKey, ...given }: TokenOptions = {}): Promise<string> {
  const kid = 'kid' in given ? given.kid : 'one';
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: issuer,
    aud: ['istio-ca'],
    sub: 'system:serviceaccount:shop:reviews',
    exp: now + 600,
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...(kid !== undefined && { kid }) }).sign(key);
}

const unsigned = (header: object, claims: object): string =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

describe('a token of an OpenID Connect issuer', () => {
  const authenticatorOf = async (rule: Partial<JwtRule> = {}) =>
    new JwtAuthenticator({
      rule: { issuer, audiences: ['istio-ca'], jwks: await jwksOf(['one', signing.publicKey]), ...rule },
      trustDomains,
      fetchText: () => Promise.reject(new Error('nothing is fetched')),
    });

  test('names its service account', async () => {
    expect(await outcome(await authenticatorOf(), withToken(await token()))).toEqual([reviews]);
    expect(await outcome(await authenticatorOf(), withToken(await token({ claims: { aud: 'istio-ca' } })))).toEqual([
      reviews,
    ]);
  });

  test('names the pod that it is bound to', async () => {
    const claims = { 'kubernetes.io': { namespace: 'shop', pod: { name: 'reviews-1', uid: 'u' } } };
    expect(await (await authenticatorOf()).authenticate(withToken(await token({ claims })))).toMatchObject({
      caller: { kubernetes: { namespace: 'shop', serviceAccount: 'reviews', podName: 'reviews-1', podUid: 'u' } },
    });
  });

  test.each([
    ['keys that are given', (jwks: string) => ({ jwks })],
    ['keys that are fetched', () => ({ jwks: undefined, jwksUri: 'https://issuer.example/keys' })],
  ])('without the name of a key is verified by any of %s', async (_, ruleOf) => {
    const former = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwks = await jwksOf(['former', former.publicKey], ['one', signing.publicKey]);
    const { jwks: given, ...rule } = { issuer, audiences: ['istio-ca'], ...ruleOf(jwks) };
    const authenticator = new JwtAuthenticator({
      rule: { ...rule, ...(given !== undefined && { jwks: given }) },
      trustDomains,
      fetchText: () => Promise.resolve(jwks),
    });
    const unnamed = (options: TokenOptions) => token({ kid: undefined, ...options });
    for (const { privateKey: key } of [former, signing]) {
      expect(await outcome(authenticator, withToken(await unnamed({ key })))).toEqual([reviews]);
    }
    const refusals = [unnamed({ key: stranger.privateKey }), unnamed({ claims: { aud: 'vault' } })];
    expect(await Promise.all(refusals.map(async (one) => outcome(authenticator, withToken(await one))))).toEqual([
      'the signature of the token is not valid',
      'the token is for another audience',
    ]);
  });

  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: 'istio-ca', sub: 'system:serviceaccount:shop:reviews', exp: now + 600 };
  const none = unsigned({ alg: 'none' }, claims);
  const secret = unsigned({ alg: 'HS256', kid: 'one' }, claims);
  const hmac = createHmac('sha256', signing.publicKey.export({ format: 'pem', type: 'spki' }))
    .update(secret)
    .digest('base64url');

  test.each<readonly [string, () => string | Promise<string>, string]>([
    ['expired', () => token({ claims: { exp: now - 3600 } }), 'the token has expired'],
    ['without expiry', () => token({ claims: { exp: undefined } }), 'the token has no expiry'],
    ['not valid yet', () => token({ claims: { nbf: now + 3600 } }), 'the token is not valid yet'],
    ['for another audience', () => token({ claims: { aud: ['vault'] } }), 'the token is for another audience'],
    ['for no audience', () => token({ claims: { aud: undefined } }), 'the token is for another audience'],
    [
      'from another issuer',
      () => token({ claims: { iss: 'https://evil.example' } }),
      'the token is from another issuer',
    ],
    [
      'of no service account',
      () => token({ claims: { sub: 'alice' } }),
      'the subject of the token is not a service account',
    ],
    [
      'of a namespace with slashes',
      () => token({ claims: { sub: 'system:serviceaccount:a/b:c' } }),
      'the subject of the token is not a service account',
    ],
    ['by another key', () => token({ key: stranger.privateKey }), 'the signature of the token is not valid'],
    ['by an unknown key', () => token({ kid: 'two' }), 'no key of the issuer matches the token'],
    [
      'tampered with',
      async () => (await token()).replace(/\.[^.]+\./, `.${none.split('.')[1]}.`),
      'the signature of the token is not valid',
    ],
    ['with the algorithm none', () => `${none}.`, 'the token is signed with an algorithm that is not allowed'],
    [
      'with the public key as a shared secret',
      () => `${secret}.${hmac}`,
      'the token is signed with an algorithm that is not allowed',
    ],
    ['oversized', () => 'x'.repeat(20_000), 'the token is too long'],
    ['garbage', () => 'garbage', 'the token is not a valid JWT'],
    ['empty', () => '', 'the token is not a valid JWT'],
  ])('%s is refused', async (_, make, problem) => {
    expect(await outcome(await authenticatorOf(), withToken(await make()))).toBe(problem);
  });

  test('whatever it is, it is refused plainly, and nothing of it is told', async () => {
    const authenticator = await authenticatorOf();
    const good = await token();
    const text = fc.oneof(
      fc.string({ minLength: 1 }),
      fc
        .tuple(fc.json(), fc.json(), fc.base64String())
        .map(([header, payload, signature]) =>
          [Buffer.from(header).toString('base64url'), Buffer.from(payload).toString('base64url'), signature].join('.'),
        ),
      fc
        .tuple(fc.nat(good.length - 10), fc.constantFrom(...'AZaz09-_.='))
        .map(([at, by]) => good.slice(0, at) + by + good.slice(at + 1)),
    );
    await fc.assert(
      fc.asyncProperty(
        text.filter((value) => value !== good),
        async (value) => {
          const result = await authenticator.authenticate(withToken(value));
          expect(result.kind).toBe('refused');
          if (value.length > 20) expect(JSON.stringify(result)).not.toContain(value);
        },
      ),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 2000) },
    );
  }, 120_000);
});

describe('the keys of an issuer', () => {
  /** An issuer whose keys can be exchanged, and which counts what is fetched. */
  async function publishing() {
    let jwks = await jwksOf(['one', signing.publicKey]);
    let isDown = false;
    let clock = Date.now();
    const fetched: string[] = [];
    const authenticator = new JwtAuthenticator({
      rule: { issuer, audiences: ['istio-ca'] },
      trustDomains,
      now: () => clock,
      fetchText: (url) => {
        fetched.push(url);
        if (isDown) return Promise.reject(new Error('down'));
        return Promise.resolve(url.endsWith('/keys') ? jwks : JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
      },
    });
    return {
      fetched,
      ask: (options?: TokenOptions) => token(options).then((text) => outcome(authenticator, withToken(text))),
      publish: (text: string) => void (jwks = text),
      setDown: (down: boolean) => void (isDown = down),
      pass: (ms: number) => void (clock += ms),
    };
  }

  test('are found by discovery, and fetched once', async () => {
    const { ask, fetched } = await publishing();
    expect(await Promise.all([ask(), ask()])).toEqual([[reviews], [reviews]]);
    expect(await ask()).toEqual([reviews]);
    expect(fetched).toEqual([`${issuer}/.well-known/openid-configuration`, `${issuer}/keys`]);
  });

  test('are fetched when a token names one that is new, but not again and again', async () => {
    const { ask, publish, pass, fetched } = await publishing();
    await ask();
    publish(await jwksOf(['two', stranger.publicKey]));
    const byNew = { key: stranger.privateKey, kid: 'two' };
    expect(await ask(byNew)).toBe('no key of the issuer matches the token');
    pass(10_000);
    expect(await ask(byNew)).toEqual([reviews]);
    expect(await ask()).toBe('no key of the issuer matches the token');
    expect(fetched).toHaveLength(4);
  });

  test('stay in use while the issuer is down', async () => {
    const { ask, setDown, pass } = await publishing();
    setDown(true);
    expect(await ask()).toBe("the issuer's keys could not be fetched");
    setDown(false);
    pass(10_000);
    expect(await ask()).toEqual([reviews]);
    setDown(true);
    pass(3_600_000 - 3_500_000);
    expect(await ask()).toEqual([reviews]);
  });
});

describe('a token of Kubernetes', () => {
  const good: TokenReviewStatus = {
    authenticated: true,
    audiences: ['istio-ca'],
    user: {
      username: 'system:serviceaccount:shop:reviews',
      groups: ['system:serviceaccounts', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/pod-name': ['reviews-1'], 'authentication.kubernetes.io/pod-uid': ['u'] },
    },
  };
  const authenticatorOf = (status: TokenReviewStatus | Error) =>
    new KubernetesTokenAuthenticator({
      trustDomains,
      audiences: ['istio-ca'],
      reviewerOf: (clusterId) =>
        clusterId === ''
          ? { review: () => (status instanceof Error ? Promise.reject(status) : Promise.resolve(status)) }
          : undefined,
    });

  test('names its service account and its pod', async () => {
    expect(await authenticatorOf(good).authenticate(withToken('t'))).toEqual({
      kind: 'authenticated',
      caller: {
        source: 'token',
        identities: [reviews],
        kubernetes: { namespace: 'shop', serviceAccount: 'reviews', podName: 'reviews-1', podUid: 'u', clusterId: '' },
      },
    });
  });

  test.each<readonly [string, TokenReviewStatus | Error, string]>([
    [
      'not authenticated',
      { authenticated: false, error: 'token SECRET expired' },
      'Kubernetes does not authenticate the token',
    ],
    ['for another audience', { ...good, audiences: ['vault'] }, 'the token is for another audience'],
    ['reviewed by a server that knows no audiences', { ...good, audiences: [] }, 'the token is for another audience'],
    ['of a person', { ...good, user: { username: 'alice', groups: ['dev'] } }, 'the token is not of a service account'],
    [
      'of an odd name',
      { ...good, user: { ...good.user, username: 'system:serviceaccount:shop' } },
      'the token does not name a service account',
    ],
    ['not reviewed', new Error('POST failed: token SECRET'), 'the token could not be reviewed by Kubernetes'],
  ])('%s is refused', async (_, status, problem) => {
    expect(await outcome(authenticatorOf(status), withToken('SECRET'))).toBe(problem);
  });

  test('of an unknown cluster is refused', async () => {
    const request = withToken('t');
    const metadata = new Map([...request.metadata, ['clusterid', 'other']]);
    expect(await outcome(authenticatorOf(good), { ...request, metadata })).toBe('the cluster "other" is not known');
  });
});

describe('a client certificate', () => {
  const withCertificate = (certificate: X509Certificate | undefined): AuthenticationRequest => ({
    ...withToken(''),
    metadata: new Map(),
    certificate,
  });
  const authenticator = new ClientCertificateAuthenticator({ trustDomains });

  test.each([
    [[reviews], [reviews]],
    [['spiffe://old.example/ns/shop/sa/reviews'], ['spiffe://old.example/ns/shop/sa/reviews']],
    [['spiffe://evil.example/ns/shop/sa/reviews'], 'the client certificate is of another trust domain'],
    [['reviews.example'], 'the client certificate has no SPIFFE identity'],
    [['spiffe://mesh.example/workload'], 'the URI of the client certificate is no SPIFFE identity of a workload'],
    [[reviews, 'spiffe://mesh.example/ns/shop/sa/ratings'], 'the client certificate has more than one URI'],
  ])('for %s', async (names, expected) => {
    const { chain } = await (await testAuthority()).issueKey(names, 60_000);
    expect(await outcome(authenticator, withCertificate(new X509Certificate(chain)))).toEqual(expected);
  });

  test('that has expired is refused', async () => {
    const early = await testAuthority({ now: () => Date.now() - 120_000 });
    const { chain } = await early.issueKey([reviews], 60_000);
    const problem = 'the client certificate has expired';
    expect(await outcome(authenticator, withCertificate(new X509Certificate(chain)))).toBe(problem);
  });

  test('that was revoked is refused', async () => {
    const { chain } = await (await testAuthority()).issueKey([reviews], 60_000);
    const certificate = new X509Certificate(chain);
    const { serial, issuerBytes } = certificateOf(certificate.raw);
    const list = { issuerBytes, revoked: new Set([serial]), isSignedBy: () => true };
    expect(isRevoked(certificateOf(certificate.raw), [list])).toBe(true);
    const strict = new ClientCertificateAuthenticator({ trustDomains, revocations: () => [list] });
    expect(await outcome(strict, withCertificate(certificate))).toBe('the client certificate is revoked');
  });

  test('and other ways are asked in turn; what was refused is told, not what was not presented', async () => {
    const kubernetes = new KubernetesTokenAuthenticator({ trustDomains, audiences: [], reviewerOf: () => undefined });
    await expect(authenticate(withToken('t'), [authenticator, kubernetes])).rejects.toMatchObject({
      code: 16,
      message: 'request authenticate failure: the cluster "" is not known',
    });
    await expect(authenticate(withCertificate(undefined), [authenticator, kubernetes])).rejects.toThrow(
      'no client certificate is presented; no bearer token is presented',
    );
  });
});
