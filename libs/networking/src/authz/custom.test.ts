import { describe, expect, test } from '@jest/globals';
import { meshOf, serviceManifest } from '../testing/mesh.ts';
import { customFiltersOf, enforced, findings, policy, rbacOf } from './testing.ts';

const AUTHORIZER = serviceManifest('authorizer', { namespace: 'ops' });
const HOST = 'authorizer.ops.svc.cluster.local';

const provider = (name: string, kind: 'Http' | 'Grpc', rest = ''): string =>
  `- {name: ${name}, envoyExtAuthz${kind}: {service: ${HOST}, port: 80${rest && `, ${rest}`}}}`;

const mesh = (...providers: readonly string[]): { mesh: string } => ({
  mesh: `extensionProviders:\n${providers.join('\n')}`,
});

const ask = (name: string, by: string, rest = ''): string =>
  policy(name, {
    action: 'CUSTOM',
    rules: '[{to: [{operation: {paths: [/admin]}}]}]',
    rest: `provider: {name: ${by}}${rest}`,
  });

const names = (push: ReturnType<typeof meshOf>, layer: 'http' | 'tcp' = 'http'): readonly string[] =>
  customFiltersOf(push, layer).map(({ name = '' }) => name);

describe('an authorizer that can be asked', () => {
  test('is asked where the filter before finds a case for it', () => {
    const [finds, asks] = customFiltersOf(meshOf(AUTHORIZER + ask('p', 'ext'), mesh(provider('ext', 'Http'))));
    expect(rbacOf(finds)).toMatchObject({
      shadowRules: { action: 'DENY', policies: { 'istio-ext-authz-ext-ns[shop]-policy[p]-rule[0]': {} } },
      shadowRulesStatPrefix: 'istio_ext_authz_',
    });
    expect(asks?.typedConfig).toMatchObject({
      httpService: { serverUri: { uri: `http://${HOST}`, cluster: `outbound|80||${HOST}`, timeout: '600s' } },
      filterEnabledMetadata: {
        filter: 'envoy.filters.http.rbac',
        path: [{ key: 'istio_ext_authz_shadow_effective_policy_id' }],
        value: { stringMatch: { prefix: 'istio-ext-authz-ext' } },
      },
    });
  });

  test('judges connections only where it speaks gRPC', () => {
    const push = (kind: 'Http' | 'Grpc') => meshOf(AUTHORIZER + ask('p', 'ext'), mesh(provider('ext', kind)));
    expect(names(push('Grpc'), 'tcp')).toEqual(['envoy.filters.network.rbac', 'envoy.filters.network.ext_authz']);
    expect(names(push('Http'), 'tcp')).toEqual([]);
  });

  test('may be one of several only where that is switched on', () => {
    const manifests = AUTHORIZER + ask('p', 'b') + ask('q', 'a');
    const options = mesh(provider('a', 'Http'), provider('b', 'Grpc'));
    const denying = customFiltersOf(meshOf(manifests, options));
    expect(denying.flatMap((filter) => Object.keys(enforced(filter)))).toEqual([
      'istio-ext-authz-a-policy[q]-rule[0]-deny-due-to-bad-CUSTOM-action',
      'istio-ext-authz-b-policy[p]-rule[0]-deny-due-to-bad-CUSTOM-action',
    ]);
    const environment = { PILOT_ENABLE_MULTIPLE_CUSTOM_AUTHZ_PROVIDERS: 'true' };
    expect(names(meshOf(manifests, { ...options, environment }))).toEqual([
      'envoy.filters.http.rbac',
      'envoy.filters.http.ext_authz',
      'envoy.filters.http.rbac',
      'envoy.filters.http.ext_authz',
    ]);
  });
});

test.each<[string, string, string]>([
  ['an authorizer that the mesh does not have', '', 'ext'],
  ['no authorizer', '', '""'],
  ['a name that is no label', provider('Ext', 'Http'), 'Ext'],
  ['a provider of another kind', '- {name: ext, prometheus: {}}', 'ext'],
  ['an unknown service', `- {name: ext, envoyExtAuthzHttp: {service: nobody.example, port: 80}}`, 'ext'],
  ['no port', `- {name: ext, envoyExtAuthzHttp: {service: ${HOST}, port: 70000}}`, 'ext'],
  ['a path that is none', provider('ext', 'Http', 'pathPrefix: check'), 'ext'],
  ['a status that is none', provider('ext', 'Grpc', 'statusOnError: "999"'), 'ext'],
  ['headers of any name', provider('ext', 'Http', 'headersToUpstreamOnAllow: ["*"]'), 'ext'],
])('with %s the cases are denied, and it is told', (_, stated, name) => {
  const push = meshOf(AUTHORIZER + ask('p', name), stated === '' ? {} : mesh(stated));
  const filters = customFiltersOf(push);
  expect(filters).toHaveLength(1);
  expect(rbacOf(filters[0]).rules?.action).toBe('DENY');
  expect(Object.keys(rbacOf(filters[0]).rules?.policies ?? {})[0]).toMatch(/-deny-due-to-bad-CUSTOM-action$/);
  expect(findings(push)).toEqual(['error unusable-authorizer shop/p spec.provider']);
});

test('a service of several namespaces needs its own', () => {
  const entry = (namespace: string): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ext, namespace: ${namespace}}
spec: {hosts: [ext.example], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
---`;
  const manifests = entry('a') + entry('b') + ask('p', 'ext');
  const push = (service: string) =>
    meshOf(manifests, mesh(`- {name: ext, envoyExtAuthzHttp: {service: ${service}, port: 80}}`));
  expect(names(push('ext.example'))).toEqual(['envoy.filters.http.rbac']);
  expect(names(push('a/ext.example'))).toEqual(['envoy.filters.http.rbac', 'envoy.filters.http.ext_authz']);
});
