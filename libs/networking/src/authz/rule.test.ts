import { describe, expect, test } from '@jest/globals';
import { type ConfigOf, isKind, parseConfig } from '@kedge/model';
import { ruleSets } from './rbac.ts';
import { type RuleContext, translateRule } from './rule.ts';

const CONTEXT: RuleContext = {
  namespace: 'shop',
  trustDomains: ['new.mesh', 'old.mesh'],
  identity: 'certificate',
  layer: 'http',
};

function policyOf(spec: object): ConfigOf<'AuthorizationPolicy'> {
  const { config } = parseConfig({
    apiVersion: 'security.istio.io/v1',
    kind: 'AuthorizationPolicy',
    metadata: { name: 'p', namespace: 'shop' },
    spec,
  });
  if (!config || !isKind(config, 'AuthorizationPolicy')) throw new Error('not a policy');
  return config;
}

function translate(rule: object, context: Partial<RuleContext> = {}) {
  const [first] = policyOf({ rules: [rule] }).spec.rules;
  if (!first) throw new Error('no rule');
  const translated = translateRule(first, { ...CONTEXT, ...context });
  if ('at' in translated) throw new Error(`condition ${translated.at} is unknown`);
  return translated;
}

/** The one test that a rule with one value comes to, on whichever side it is. */
function onlyTest(rule: object, context?: Partial<RuleContext>): unknown {
  const { permissions = [], principals = [] } = translate(rule, context).policy;
  const tests = [...(permissions[0]?.andRules?.rules ?? []), ...(principals[0]?.andIds?.ids ?? [])];
  const [only, ...others] = tests.filter(({ any }) => !any);
  expect(others).toEqual([]);
  return only;
}

const authenticated = (matcher: object): object => ({
  orIds: { ids: [{ authenticated: { principalName: matcher } }] },
});
const regex = (text: string): object => ({ safeRegex: { regex: text } });
const header = (name: string, match: object): object => ({ header: { name, ...match } });
const claim = (path: readonly string[], stringMatch: object): object => ({
  metadata: {
    filter: 'envoy.filters.http.jwt_authn',
    path: ['payload', ...path].map((key) => ({ key })),
    value: { orMatch: { valueMatchers: [{ listMatch: { oneOf: { stringMatch } } }, { stringMatch }] } },
  },
});

describe('operations', () => {
  test.each<[string, string, object]>([
    ['methods', 'PO*', header(':method', { stringMatch: { prefix: 'PO' } })],
    ['methods', '*', header(':method', { presentMatch: true })],
    ['hosts', '*.example.org', header(':authority', { stringMatch: { suffix: '.example.org', ignoreCase: true } })],
    ['hosts', 'a.example', header(':authority', { stringMatch: { exact: 'a.example', ignoreCase: true } })],
    ['paths', '/a', { urlPath: { path: { exact: '/a' } } }],
    ['paths', '*', { urlPath: { path: regex('.+') } }],
    ['ports', '8080', { destinationPort: 8080 }],
  ])('%s: %s', (field, value, expected) => {
    expect(onlyTest({ to: [{ operation: { [field]: [value] } }] })).toEqual({ orRules: { rules: [expected] } });
    const negation = `not${field.charAt(0).toUpperCase()}${field.slice(1)}`;
    expect(onlyTest({ to: [{ operation: { [negation]: [value] } }] })).toEqual({
      notRule: { orRules: { rules: [expected] } },
    });
  });

  test('paths with operators are templates of Envoy', () => {
    expect(JSON.stringify(onlyTest({ to: [{ operation: { paths: ['/a/{*}/b/{**}'] } }] }))).toContain('"/a/*/b/**"');
  });
});

describe('sources', () => {
  test.each<[string, string, object]>([
    ['principals', '*/ns/a/sa/b', authenticated(regex('spiffe://.*/ns/a/sa/b'))],
    ['principals', 'other/ns/a/*', authenticated({ prefix: 'spiffe://other/ns/a/' })],
    ['principals', '*', authenticated(regex('.+'))],
    ['namespaces', 'a.b-*', authenticated(regex('.*/ns/a\\.b-.*/.*'))],
    ['serviceAccounts', 'web', authenticated(regex('spiffe://.+/ns/shop/(.+/|)sa/web(/.+)?'))],
    ['serviceAccounts', 'ops/web', authenticated(regex('spiffe://.+/ns/ops/(.+/|)sa/web(/.+)?'))],
    ['trustDomains', 'other.mesh', authenticated({ prefix: 'spiffe://other.mesh/' })],
    ['trustDomains', '*.mesh', authenticated(regex('spiffe://[^/]*\\.mesh/.*'))],
    ['trustDomains', '*', authenticated({ prefix: 'spiffe://' })],
    ['ipBlocks', '10.0.0.0/8', { orIds: { ids: [{ directRemoteIp: { addressPrefix: '10.0.0.0', prefixLen: 8 } }] } }],
    ['remoteIpBlocks', '10.1.2.3', { orIds: { ids: [{ remoteIp: { addressPrefix: '10.1.2.3', prefixLen: 32 } }] } }],
  ])('%s: %s', (field, value, expected) => {
    expect(onlyTest({ from: [{ source: { [field]: [value] } }] })).toEqual(expected);
  });

  test('principals of the mesh stand for its trust domain and all aliases', () => {
    const names = ['new', 'old'].map((mesh) => ({
      authenticated: { principalName: { exact: `spiffe://${mesh}.mesh/ns/a/sa/b` } },
    }));
    for (const domain of ['cluster.local', 'old.mesh', 'new.mesh']) {
      expect(onlyTest({ from: [{ source: { principals: [`${domain}/ns/a/sa/b`] } }] })).toEqual({
        orIds: { ids: names },
      });
    }
  });

  test.each<[string, object, object]>([
    ['https://issuer/sub', { exact: 'https://issuer' }, { exact: 'sub' }],
    ['https://issuer/*', { exact: 'https://issuer' }, regex('.+')],
    ['https://issuer/su*', { exact: 'https://issuer' }, { prefix: 'su' }],
    ['*/sub', regex('.+'), { exact: 'sub' }],
    ['*issuer/sub', { suffix: 'issuer' }, { exact: 'sub' }],
    ['issuer*', { prefix: 'issuer' }, regex('.+')],
    ['*sub', regex('.+'), { suffix: 'sub' }],
    ['*', regex('.+'), regex('.+')],
    ['issuer', { exact: 'issuer' }, { exact: '' }],
  ])('request principal %s', (value, issuer, subject) => {
    const claimIs = (name: string, stringMatch: object): object => ({
      metadata: {
        filter: 'envoy.filters.http.jwt_authn',
        path: [{ key: 'payload' }, { key: name }],
        value: { stringMatch },
      },
    });
    expect(onlyTest({ from: [{ source: { requestPrincipals: [value] } }] })).toEqual({
      andIds: { ids: [claimIs('iss', issuer), claimIs('sub', subject)] },
    });
  });

  test('identities may come from what another listener found out', () => {
    expect(onlyTest({ from: [{ source: { namespaces: ['a'] } }] }, { identity: 'filter-state' })).toEqual({
      orIds: { ids: [{ filterState: { key: 'io.istio.peer_principal', stringMatch: regex('.*/ns/a/.*') } }] },
    });
  });
});

describe('conditions', () => {
  test.each<[string, string, object]>([
    ['request.headers[x-user]', 'a*', { orIds: { ids: [header('x-user', { stringMatch: { prefix: 'a' } })] } }],
    ['request.auth.claims[iss]', '*a', claim(['iss'], { suffix: 'a' })],
    ['request.auth.claims[a][b]', 'c', claim(['a', 'b'], { exact: 'c' })],
    ['request.auth.claims[a]b]', 'c', claim(['a]b'], { exact: 'c' })],
    ['request.auth.audiences', 'a', claim(['aud'], { exact: 'a' })],
    ['request.auth.presenter', 'a', claim(['azp'], { exact: 'a' })],
    ['connection.sni', '*.a', { orRules: { rules: [{ requestedServerName: { suffix: '.a' } }] } }],
    ['destination.ip', '10.1.2.3', { orRules: { rules: [{ destinationIp: { addressPrefix: '10.1.2.3', prefixLen: 32 } }] } }], // prettier-ignore
    ['experimental.envoy.filters.a.b[c]', 'd', { metadata: { filter: 'envoy.filters.a.b', path: [{ key: 'c' }], value: { stringMatch: { exact: 'd' } } } }], // prettier-ignore
    ['experimental.envoy.filters.a.b[c]', '[d]', { metadata: { filter: 'envoy.filters.a.b', path: [{ key: 'c' }], value: { listMatch: { oneOf: { stringMatch: { exact: 'd' } } } } } }], // prettier-ignore
  ])('%s: %s', (key, value, expected) => {
    expect(onlyTest({ when: [{ key, values: [value] }] })).toEqual(expected);
  });

  test('join each of the alternatives, after what those ask', () => {
    const { policy } = translate({
      to: [{ operation: { ports: ['1'] } }, { operation: { ports: ['2'] } }],
      when: [{ key: 'connection.sni', values: ['a'] }],
    });
    const sni = { orRules: { rules: [{ requestedServerName: { exact: 'a' } }] } };
    const port = (destinationPort: number): object => ({ orRules: { rules: [{ destinationPort }] } });
    expect(policy.permissions).toEqual([1, 2].map((number) => ({ andRules: { rules: [port(number), sni] } })));
    expect(policy.principals).toEqual([{ andIds: { ids: [{ any: true }] } }]);
  });

  test('that are not known spoil the rule', () => {
    expect(() => translate({ when: [{ key: 'source.user', values: ['a'] }] })).toThrow('condition 0');
  });
});

describe('what cannot be tested', () => {
  const base = { layer: 'http', identity: 'certificate', trustDomains: [''] } as const;
  const bad = { rules: [{ to: [{ operation: { ports: ['80', 'x'], methods: ['GET'] } }] }] };

  test('never lets more through', () => {
    expect(ruleSets([policyOf(bad)], { ...base, action: 'ALLOW' }).enforced?.policies).toEqual({});
    const denied = ruleSets([policyOf({ ...bad, action: 'DENY' })], { ...base, action: 'DENY' });
    expect(JSON.stringify(denied.enforced)).toContain('"destinationPort":80');
  });

  test('a rule that Envoy would refuse denies everything, or allows nothing, and is told', () => {
    const refused = { rules: [{ when: [{ key: 'request.headers[]', values: ['a'] }] }] };
    const allowed = ruleSets([policyOf(refused)], { ...base, action: 'ALLOW' });
    expect(allowed.enforced?.policies).toEqual({});
    const denied = ruleSets([policyOf({ ...refused, action: 'DENY' })], { ...base, action: 'DENY' });
    expect(Object.values(denied.enforced?.policies ?? {})).toEqual([
      { permissions: [{ any: true }], principals: [{ any: true }] },
    ]);
    for (const { diagnostics } of [allowed, denied]) {
      expect(diagnostics).toMatchObject([{ code: 'rejected-by-envoy-rules', name: 'p', field: 'spec.rules[0]' }]);
    }
  });
});
