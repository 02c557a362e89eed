import { expect, test } from '@jest/globals';
import type { FilterChain, Listener } from '@kedge/envoy-api';
import type { PushContext } from '@kedge/pushcontext';
import fc from 'fast-check';
import { chainsOf, gateway, gatewayProxy, listeners, toWeb, virtualService } from '../gateway/testing.ts';
import { sidecarListeners } from '../listeners/sidecar-listeners.ts';
import { messagesOf, meshOf, proxyOf, serviceManifest, withObjects, withoutObject } from '../testing/mesh.ts';

const POLICIES = ['jwt_authn', 'rbac'];

/** The policy filters of a chain, those of requests included, by the last part of their names. */
function policiesOf({ filters = [] }: FilterChain): readonly string[] {
  const inner = filters.flatMap(({ typedConfig }) => {
    const { httpFilters = [] } = (typedConfig ?? {}) as { readonly httpFilters?: readonly { readonly name: string }[] };
    return httpFilters.map(({ name }) => `http ${name.split('.').at(-1)}`);
  });
  const outer = filters.map(({ name }) => `tcp ${name?.split('.').at(-1)}`);
  return [...outer, ...inner].filter((name) => POLICIES.some((one) => name.endsWith(one)));
}

const POLICY = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: p, namespace: istio-system}
spec: {action: DENY, rules: [{from: [{source: {namespaces: [bad]}}]}]}
---
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: {name: p, namespace: istio-system}
spec: {jwtRules: [{issuer: a, jwks: k}]}
---`;

test('a sidecar looks at what comes in, by chain, and not at what goes out', () => {
  const push = meshOf(POLICY + serviceManifest('web') + serviceManifest('db', { portName: 'tcp', port: 9000 }));
  const sidecar = proxyOf('web', { address: '10.0.1.1' });
  const found = Object.values(messagesOf(push.evaluate(sidecar, sidecarListeners))) as unknown as readonly Listener[];
  for (const { name, trafficDirection, filterChains = [] } of found) {
    for (const chain of filterChains) {
      const isHttp = JSON.stringify(chain).includes('"httpFilters"');
      const expected =
        trafficDirection === 'OUTBOUND' || chain.name === `${name}-blackhole`
          ? []
          : isHttp
            ? ['http jwt_authn', 'http rbac']
            : ['tcp rbac'];
      expect([name, chain.name, policiesOf(chain)]).toEqual([name, chain.name, expected]);
    }
  }
  expect(found.some(({ trafficDirection }) => trafficDirection === 'INBOUND')).toBe(true);
});

test('a gateway looks at requests and connections, except those that it passes between networks', () => {
  const push = meshOf(
    POLICY +
      serviceManifest('web') +
      gateway('gw', [
        '{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}',
        '{port: {number: 81, name: tcp, protocol: TCP}, hosts: ["*"]}',
        '{port: {number: 15443, name: tls, protocol: TLS}, hosts: ["*.local"], tls: {mode: AUTO_PASSTHROUGH}}',
      ]) +
      virtualService('web', 'web.example', 'edge/gw', toWeb) +
      virtualService('tcp', 'tcp.example', 'edge/gw', 'tcp: [{match: [{port: 81}], route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 80}}}]}]'), // prettier-ignore
  );
  const found = listeners(push, gatewayProxy());
  const policies = (name: string): readonly (readonly string[])[] => (found[name]?.filterChains ?? []).map(policiesOf);
  expect(policies('0.0.0.0_80')).toEqual([['http jwt_authn', 'http rbac']]);
  expect(policies('0.0.0.0_81')).toEqual([['tcp rbac']]);
  expect(Object.keys(chainsOf(found['0.0.0.0_15443'])).length).toBeGreaterThan(0);
  expect(policies('0.0.0.0_15443').flat()).toEqual([]);
});

test('step by step comes to the same as at once', () => {
  const label = fc.constantFrom('{app: a}', '{app: b}', undefined);
  const named = (kind: string, version: string, spec: fc.Arbitrary<string>): fc.Arbitrary<Step> =>
    fc
      .tuple(fc.constantFrom('p', 'q'), fc.constantFrom('shop', 'depot', 'istio-system'), label, spec, fc.boolean())
      .map(([name, namespace, app, text, isRemoved]) => ({
        key: { kind, name, namespace },
        isRemoved,
        manifest: `
apiVersion: ${version}
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: {${app === undefined ? '' : `selector: {matchLabels: ${app}}, `}${text}}
---`,
      }));
  const step = fc.oneof(
    named('AuthorizationPolicy', 'security.istio.io/v1', fc.constantFrom('action: DENY, rules: [{}]', 'rules: []', 'action: CUSTOM, provider: {name: ext}, rules: [{}]')), // prettier-ignore
    named('RequestAuthentication', 'security.istio.io/v1', fc.constantFrom('jwtRules: [{issuer: a, jwks: k}]', 'jwtRules: [{issuer: b, jwksUri: "https://b.example"}]')), // prettier-ignore
    named(
      'PeerAuthentication',
      'security.istio.io/v1',
      fc.constantFrom('mtls: {mode: STRICT}', 'mtls: {mode: DISABLE}'),
    ),
    named('Telemetry', 'telemetry.istio.io/v1', fc.constantFrom('metrics: [{providers: [{name: prometheus}]}]', 'accessLogging: [{providers: [{name: envoy}]}]')), // prettier-ignore
  );
  const base = serviceManifest('web') + serviceManifest('db', { portName: 'tcp', port: 9000, namespace: 'depot' });
  const proxies = ['shop', 'depot'].flatMap((namespace) =>
    ['a', 'b'].map((app) => proxyOf(app, { namespace, address: '10.0.1.1', metadata: { LABELS: { app } } })),
  );
  const versions = (push: PushContext): readonly (readonly string[])[] =>
    proxies.map((proxy) => push.evaluate(proxy, sidecarListeners).map(({ version }) => version));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      let push = meshOf(base);
      const present = new Map<string, string>();
      for (const { key, manifest, isRemoved } of steps) {
        push = isRemoved ? withoutObject(push, key) : withObjects(push, manifest);
        present.set(JSON.stringify(key), isRemoved ? '' : manifest);
        expect(versions(push)).toEqual(versions(meshOf(base + [...present.values()].join(''))));
      }
    }),
    { numRuns: 25 },
  );
});

interface Step {
  readonly key: { readonly kind: string; readonly name: string; readonly namespace: string };
  readonly manifest: string;
  readonly isRemoved: boolean;
}
