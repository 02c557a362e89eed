import { expect, test } from '@jest/globals';
import type { FilterChain, Listener } from '@kedge/envoy-api';
import { chainsOf, gateway, gatewayProxy, listeners, toWeb, virtualService } from '../gateway/testing.ts';
import { sidecarListeners } from '../listeners/sidecar-listeners.ts';
import { messagesOf, meshOf, proxyOf, serviceManifest } from '../testing/mesh.ts';

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
