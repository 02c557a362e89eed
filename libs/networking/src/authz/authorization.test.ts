import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { meshOf, proxyOf, withObjects, withoutObject } from '../testing/mesh.ts';
import { cart, enforced, filtersOf, findings, policy, type PolicyOptions, rbacOf } from './testing.ts';

const GET = '[{to: [{operation: {methods: [GET]}}]}]';

/** The names of the rules that the proxy enforces. */
const names = (manifests: string, proxy = cart): readonly string[] =>
  filtersOf(meshOf(manifests), 'http', proxy).flatMap((filter) => Object.keys(enforced(filter)));

describe('which policies are for a proxy', () => {
  const gateway = proxyOf('edge', {
    type: 'router',
    metadata: { LABELS: { 'gateway.networking.k8s.io/gateway-name': 'edge', app: 'edge' } },
  });
  const toGateway = (name: string, namespace?: string): string =>
    `targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: ${name}${namespace ? `, namespace: ${namespace}` : ''}}]`;

  test.each<[string, PolicyOptions, boolean]>([
    ['of its namespace', {}, true],
    ['of another namespace', { namespace: 'depot' }, false],
    ['of the root namespace', { namespace: 'istio-system' }, true],
    ['that select it', { rest: 'selector: {matchLabels: {app: cart}}' }, true],
    ['that select others', { rest: 'selector: {matchLabels: {app: web}}' }, false],
    ['of the root namespace that select it', { namespace: 'istio-system', rest: 'selector: {matchLabels: {app: cart}}' }, true], // prettier-ignore
    ['for a Gateway', { rest: toGateway('edge') }, false],
  ])('a sidecar: those %s', (_, options, isFor) => {
    expect(names(policy('p', { rules: GET, ...options })).length > 0).toBe(isFor);
  });

  test.each<[string, PolicyOptions, boolean]>([
    ['for its Gateway', { rest: toGateway('edge') }, true],
    ['for its Gateway, with the namespace', { rest: toGateway('edge', 'shop') }, true],
    ['for another Gateway', { rest: toGateway('other') }, false],
    ['for a Gateway of another namespace', { namespace: 'depot', rest: toGateway('edge') }, false],
    ['that point to another namespace', { rest: toGateway('edge', 'depot') }, false],
    ['for a Service', { rest: 'targetRefs: [{group: "", kind: Service, name: edge}]' }, false],
    ['that select it', { rest: 'selector: {matchLabels: {app: edge}}' }, true],
  ])('a workload of the Gateway API: those %s', (_, options, isFor) => {
    expect(names(policy('p', { rules: GET, ...options }), gateway).length > 0).toBe(isFor);
  });

  test('a switch keeps policies with selectors away from workloads of the Gateway API', () => {
    const push = meshOf(policy('p', { rules: GET }), {
      environment: { ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY: 'false' },
    });
    expect(filtersOf(push, 'http', gateway)).toEqual([]);
    expect(filtersOf(push, 'http', cart)).toHaveLength(1);
  });
});

describe('the filters', () => {
  test('are one for each action: audit, deny, allow', () => {
    const push = meshOf(
      policy('a', { rules: GET }) +
        policy('b', { rules: GET, action: 'DENY' }) +
        policy('c', { rules: GET, action: 'AUDIT' }) +
        policy('d', { rules: GET }),
    );
    const filters = filtersOf(push);
    expect(filters.map((filter) => rbacOf(filter).rules?.action)).toEqual(['LOG', 'DENY', 'ALLOW']);
    expect(Object.keys(enforced(filters[2]))).toEqual(['policy[a]-rule[0]', 'policy[d]-rule[0]']);
  });

  test('deny all where a policy allows nothing', () => {
    const [filter] = filtersOf(meshOf(policy('nothing')));
    expect(enforced(filter)['policy[nothing]-rule[0]']).toEqual({
      permissions: [{ notRule: { any: true } }],
      principals: [{ notId: { any: true } }],
    });
  });

  test('try policies out by the side', () => {
    const push = meshOf(
      policy('try', { rules: GET, action: 'DENY', dryRun: 'true' }) +
        policy('real', { rules: GET }) +
        policy('odd', { rules: GET, dryRun: 'perhaps' }),
    );
    const [deny, allow] = filtersOf(push).map(rbacOf);
    expect(deny?.rules).toBeUndefined();
    expect(deny).toMatchObject({ shadowRules: { action: 'DENY' }, shadowRulesStatPrefix: 'istio_dry_run_deny_' });
    expect(Object.keys(allow?.rules?.policies ?? {})).toHaveLength(2);
    expect(findings(push)).toEqual(['warning unreadable-annotation shop/odd metadata.annotations[istio.io/dry-run]']);
  });

  test('of connections widen what is denied and shrink what is allowed by attributes of requests', () => {
    const rules = '[{to: [{operation: {methods: [GET], ports: ["80"]}}]}, {to: [{operation: {ports: ["81"]}}]}]';
    const push = meshOf(policy('deny', { rules, action: 'DENY' }) + policy('allow', { rules }));
    const [deny, allow] = filtersOf(push, 'tcp').map(enforced);
    const port = (number: number): unknown => [{ andRules: { rules: [{ orRules: { rules: [{ destinationPort: number }] } }] } }]; // prettier-ignore
    expect(deny?.['policy[deny]-rule[0]']?.permissions).toEqual(port(80));
    expect(Object.keys(allow ?? {})).toEqual(['policy[allow]-rule[1]']);
  });

  test('speak of principals that no trust domain of the mesh has', () => {
    const rules = '[{from: [{source: {principals: [cluster.local/ns/a/sa/b, "*", other.example/ns/a/sa/b]}}]}]';
    const manifests = policy('p', { rules });
    expect(findings(meshOf(manifests))).toEqual([
      'warning foreign-trust-domain shop/p spec.rules[0].from[0].source.principals[2]',
    ]);
    expect(findings(meshOf(manifests, { environment: { PILOT_SKIP_VALIDATE_TRUST_DOMAIN: 'true' } }))).toEqual([]);
  });
});

describe('sharing', () => {
  test('proxies with the same policies share the filter, whatever else differs', () => {
    const push = meshOf(policy('p', { rules: GET, namespace: 'istio-system' }) + policy('q', { rest: 'selector: {matchLabels: {app: web}}' })); // prettier-ignore
    const other = proxyOf('other', { namespace: 'depot', address: '10.0.0.9', metadata: { LABELS: { app: 'other' } } });
    expect(filtersOf(push, 'http', cart)[0]).toBe(filtersOf(push, 'http', other)[0]);
    expect(push.memo.computeCounts.get('authorizationFilter')).toBe(1);
  });

  test('a policy for others makes nothing anew', () => {
    const push = meshOf(policy('p', { rules: GET }));
    const before = filtersOf(push)[0];
    const next = withObjects(push, policy('q', { rules: GET, rest: 'selector: {matchLabels: {app: web}}' }));
    expect(filtersOf(next)[0]).toBe(before);
    expect(next.memo.computeCounts.get('authorizationFilter')).toBe(1);
  });
});

test('neither the age of policies nor the order in which they come plays a part', () => {
  const one = fc.record({
    action: fc.constantFrom('ALLOW', 'DENY', 'AUDIT'),
    rules: fc.constantFrom(GET, '[{}]', '[{from: [{source: {namespaces: [a, b]}}]}]', undefined),
    namespace: fc.constantFrom('shop', 'istio-system'),
    dryRun: fc.constantFrom(undefined, 'true'),
  });
  const age = fc.integer({ min: 1, max: 28 }).map((day) => `2024-02-${String(day).padStart(2, '0')}T00:00:00Z`);
  fc.assert(
    fc.property(fc.array(fc.tuple(one, age, age, fc.nat()), { minLength: 1, maxLength: 6 }), (all) => {
      const manifest = (options: PolicyOptions, at: number): string => policy(`p${at}`, options);
      const first = all.map(([options, created], at) => manifest({ ...options, created }, at));
      const second = all
        .map(([options, , created, order], at) => [order, manifest({ ...options, created }, at)] as const)
        .sort(([a], [b]) => a - b)
        .map(([, text]) => text);
      const incremental = second.reduce(withObjects, meshOf(''));
      for (const layer of ['http', 'tcp'] as const) {
        expect(filtersOf(incremental, layer)).toEqual(filtersOf(meshOf(first.join('')), layer));
      }
    }),
    { numRuns: 60 },
  );
});

test('a removed policy leaves what never was', () => {
  const push = meshOf(policy('p', { rules: GET }));
  expect(filtersOf(push)).toHaveLength(1);
  const next = withoutObject(push, { kind: 'AuthorizationPolicy', namespace: 'shop', name: 'p' });
  expect(filtersOf(next)).toEqual([]);
});
