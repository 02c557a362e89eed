import { expect, test } from '@jest/globals';
import { query } from '@kedge/incremental';
import { keySetsSource, type PushContext } from '@kedge/pushcontext';
import { clusters } from '../clusters/clusters.ts';
import { meshOf, proxyOf, withObjects } from '../testing/mesh.ts';
import type { JwtAuthentication } from './jwt-filter.ts';
import { jwtFilters, requestAuthenticationDiagnostics } from './request-authentication.ts';

const cart = proxyOf('cart', { metadata: { LABELS: { app: 'cart' } } });

const policy = (
  name: string,
  jwtRules: string,
  { namespace = 'shop', created = '2024-01-01', rest = '' } = {},
): string => `
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: {name: ${name}, namespace: ${namespace}, creationTimestamp: "${created}T00:00:00Z"}
spec: {jwtRules: ${jwtRules}${rest}}
---`;

const filters = query('testedJwtFilters', (read) => jwtFilters(read, 'inbound'));

const filterOf = (push: PushContext, proxy = cart): JwtAuthentication | undefined =>
  push.evaluate(proxy, filters)[0]?.typedConfig as unknown as JwtAuthentication | undefined;

const issuers = (push: PushContext, proxy = cart): readonly (string | undefined)[] =>
  Object.values(filterOf(push, proxy)?.providers ?? {}).map(({ issuer, audiences = [] }) => [issuer, ...audiences].join(' ')); // prettier-ignore

/** A set of one key. */
const keySet = (secret: string): string => JSON.stringify({ keys: [{ kty: 'oct', k: secret }] });

const codes = (push: PushContext): readonly string[] =>
  push.evaluate(cart, requestAuthenticationDiagnostics).map(({ code, name, field }) => `${code} ${name} ${field}`);

test('rules of all policies for the workload are one filter, by issuer, the nearest and oldest first', () => {
  const push = meshOf(
    policy('root', '[{issuer: a, audiences: [root], jwks: k}]', { namespace: 'istio-system', created: '2020-01-01' }) +
      policy('young', '[{issuer: b, jwks: k}, {issuer: a, audiences: [young], jwks: k}]', { created: '2024-02-01' }) +
      policy('old', '[{issuer: a, audiences: [old], jwks: k}]') +
      policy('others', '[{issuer: c, jwks: k}]', { rest: ', selector: {matchLabels: {app: web}}' }) +
      policy('elsewhere', '[{issuer: d, jwks: k}]', { namespace: 'depot' }),
  );
  expect(issuers(push)).toEqual(['a old', 'a young', 'a root', 'b']);
  expect(filterOf(push, proxyOf('edge', { namespace: 'nobody' }))?.providers).toHaveProperty('origins-0');
});

test('there is no filter without rules', () => {
  expect(filterOf(meshOf(policy('none', '[]')))).toBeUndefined();
  expect(filterOf(meshOf(''))).toBeUndefined();
});

test('tokens are refused until their keys were fetched', () => {
  const manifests = policy('p', '[{issuer: a, jwksUri: "https://a.example/keys"}, {issuer: "https://b.example/"}]');
  const keys = (push: PushContext): readonly unknown[] =>
    Object.values(filterOf(push)?.providers ?? {}).map(({ localJwks }) => localJwks?.inlineString);
  const push = meshOf(manifests);
  expect(keys(push).map((text) => JSON.parse(String(text)) as unknown)).toMatchObject([
    { keys: [{ kty: 'RSA' }] },
    { keys: [{ kty: 'RSA' }] },
  ]);
  expect(codes(push)).toEqual(['missing-keys p spec.jwtRules[0]', 'missing-keys p spec.jwtRules[1]']);
  const fetched = push.next((edit) => {
    edit.set(keySetsSource, 'https://a.example/keys', keySet('a'));
    edit.set(keySetsSource, 'https://b.example/.well-known/openid-configuration', keySet('b'));
  });
  expect(keys(fetched)).toEqual([keySet('a'), keySet('b')]);
  expect(codes(fetched)).toEqual([]);
});

test('a rule that Envoy would refuse refuses the tokens of its issuer, and is told', () => {
  const [bad, good] = [keySet(''), keySet('b')];
  const push = meshOf(
    policy(
      'p',
      `[{issuer: a, jwks: '${good}', fromHeaders: [{name: "x y\\n"}]}, {issuer: b, jwks: '${good}'},
        {issuer: c, jwks: '${bad}', audiences: [x]}]`,
    ),
  );
  const [a, b, c] = Object.values(filterOf(push)?.providers ?? {});
  expect(a).toEqual({ issuer: 'a', localJwks: { inlineString: expect.stringContaining('RSA') } });
  expect(b).toMatchObject({ issuer: 'b', localJwks: { inlineString: good } });
  expect(c).toMatchObject({
    issuer: 'c',
    audiences: ['x'],
    localJwks: { inlineString: expect.stringContaining('RSA') },
  });
  expect(codes(push)).toEqual([
    'rejected-by-envoy-rules p spec.jwtRules[0]',
    'rejected-by-envoy-rules p spec.jwtRules[2]',
  ]);
});

test('proxies with the same policies share the filter', () => {
  const push = meshOf(policy('p', '[{issuer: a, jwks: k}]', { namespace: 'istio-system' }));
  expect(filterOf(push)).toBe(filterOf(push, proxyOf('other', { namespace: 'depot', address: '10.0.0.9' })));
  expect(push.memo.computeCounts.get('jwtFilter')).toBe(1);
  const next = withObjects(push, policy('q', '[{issuer: b, jwks: k}]', { namespace: 'depot' }));
  filterOf(next);
  expect(next.memo.computeCounts.get('jwtFilter')).toBe(1);
});

test('gateways that only have what they need have the servers that they fetch keys from', () => {
  const entry = (host: string): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${host}, namespace: shop}
spec: {hosts: [${host}], ports: [{number: 443, name: tls, protocol: TLS}], resolution: DNS}
---`;
  const manifests = policy('p', '[{issuer: a, jwksUri: "https://keys.example/"}]') + entry('keys.example') + entry('other.example'); // prettier-ignore
  const gateway = proxyOf('edge', { type: 'router' });
  const namesWith = (remote: string): readonly string[] => {
    const environment = { PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: 'true', PILOT_JWT_ENABLE_REMOTE_JWKS: remote };
    return meshOf(manifests, { environment })
      .evaluate(gateway, clusters)
      .map(({ name }) => name);
  };
  expect(namesWith('hybrid')).toContain('outbound|443||keys.example');
  expect(namesWith('hybrid')).not.toContain('outbound|443||other.example');
  expect(namesWith('false')).not.toContain('outbound|443||keys.example');
});
