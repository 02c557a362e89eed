import { describe, expect, test } from '@jest/globals';
import type { JWTRule } from '@kedge/model';
import { type ConfigOf, isKind, parseConfig } from '@kedge/model';
import { parseJwksUri } from './jwks-uri.ts';
import { jwtAuthentication, jwtProvider, spaceDelimitedClaims } from './jwt-filter.ts';
import { type KeyFetcher, type KeyLookups, keyFetcher, keysOf } from './keys.ts';

function rulesOf(jwtRules: readonly object[]): readonly JWTRule[] {
  const { config } = parseConfig({
    apiVersion: 'security.istio.io/v1',
    kind: 'RequestAuthentication',
    metadata: { name: 'p', namespace: 'shop' },
    spec: { jwtRules },
  });
  if (!config || !isKind(config, 'RequestAuthentication')) throw new Error('not a policy');
  return (config as ConfigOf<'RequestAuthentication'>).spec.jwtRules;
}

const ruleOf = (rule: object): JWTRule => rulesOf([rule])[0] as JWTRule;
const KEYS = { localJwks: { inlineString: '{}' } };

describe('what is required', () => {
  const provider = jwtProvider(ruleOf({ issuer: 'a' }), KEYS, false);
  const missing = { allowMissing: {} };

  test('of one provider: a token that it accepts, or none', () => {
    expect(jwtAuthentication([provider]).rules).toEqual([
      {
        match: { prefix: '/' },
        requires: { requiresAny: { requirements: [{ providerName: 'origins-0' }, missing] } },
      },
    ]);
  });

  test('of several: what one accepts, or that each accepts its own or finds none', () => {
    const each = ['origins-0', 'origins-1'].map((providerName) => ({ providerName }));
    expect(jwtAuthentication([provider, provider]).rules?.[0]?.requires).toEqual({
      requiresAny: {
        requirements: [
          ...each,
          {
            requiresAll: {
              requirements: each.map((one) => ({ requiresAny: { requirements: [one, missing] } })),
            },
          },
        ],
      },
    });
  });
});

test('a provider looks where the rule says, and leaves what it found where the rule says', () => {
  const rule = ruleOf({
    issuer: 'a',
    audiences: ['b'],
    fromHeaders: [{ name: 'x-jwt', prefix: 'Token ' }],
    fromParams: ['t'],
    fromCookies: ['c'],
    outputPayloadToHeader: 'x-payload',
    outputClaimToHeaders: [{ header: 'x-sub', claim: 'sub' }],
    forwardOriginalToken: true,
  });
  expect(jwtProvider(rule, KEYS, true)).toEqual({
    issuer: 'a',
    audiences: ['b'],
    ...KEYS,
    forward: true,
    fromHeaders: [{ name: 'x-jwt', valuePrefix: 'Token ' }],
    fromParams: ['t'],
    fromCookies: ['c'],
    forwardPayloadHeader: 'x-payload',
    claimToHeaders: [{ headerName: 'x-sub', claimName: 'sub' }],
    payloadInMetadata: 'payload',
    normalizePayloadInMetadata: { spaceDelimitedClaims: ['permission', 'scope'] },
    clearRouteCache: true,
  });
  expect(spaceDelimitedClaims(['z', 'scope'])).toEqual(['permission', 'scope', 'z']);
});

describe('keys', () => {
  const lookups = (fetcher: KeyFetcher): KeyLookups => ({
    fetcher,
    fetched: ({ jwksUri }) => (jwksUri === 'http://known.example/keys' ? 'fetched' : undefined),
    clusterOf: (host, port) => (host === 'mesh.example' ? `cluster ${host}:${port}` : undefined),
  });
  const from = (fetcher: KeyFetcher, rule: object): unknown => {
    const keys = keysOf(ruleOf({ issuer: 'a', ...rule }), lookups(fetcher));
    return keys?.localJwks?.inlineString ?? keys?.remoteJwks?.httpUri;
  };
  const remote = (cluster: string, uri: string, timeout = '5s'): object => ({ uri, cluster, timeout });

  test.each<[KeyFetcher, object, unknown]>([
    ['control-plane', { jwks: 'inline' }, 'inline'],
    ['control-plane', { jwks: 'inline', jwksUri: 'http://known.example/keys' }, 'inline'],
    ['control-plane', { jwksUri: 'http://known.example/keys' }, 'fetched'],
    ['control-plane', { jwksUri: 'http://other.example/keys' }, undefined],
    ['hybrid', { jwks: 'inline' }, 'inline'],
    ['hybrid', { jwksUri: 'http://known.example/keys' }, 'fetched'],
    [
      'hybrid',
      { jwksUri: 'https://mesh.example/keys' },
      remote('cluster mesh.example:443', 'https://mesh.example/keys'),
    ],
    ['envoy', { jwksUri: 'http://mesh.example:81/', timeout: '2s' }, remote('cluster mesh.example:81', 'http://mesh.example:81/', '2s')], // prettier-ignore
    [
      'envoy',
      { jwksUri: 'http://known.example/keys' },
      remote('outbound|80||known.example', 'http://known.example/keys'),
    ],
  ])('fetched by %s: %j', (fetcher, rule, expected) => {
    expect(from(fetcher, rule)).toEqual(expected);
  });

  test('the switch has old names', () => {
    expect(['false', 'istiod', 'true', 'hybrid', 'envoy', ''].map(keyFetcher)).toEqual([
      'control-plane',
      'control-plane',
      'hybrid',
      'hybrid',
      'envoy',
      'control-plane',
    ]);
  });

  test('come from servers of HTTP', () => {
    expect(parseJwksUri('https://a.example:8443/keys')).toEqual({ scheme: 'https', host: 'a.example', port: 8443 });
    expect(parseJwksUri('ftp://a.example')).toBeUndefined();
    expect(parseJwksUri('a.example')).toBeUndefined();
  });
});
