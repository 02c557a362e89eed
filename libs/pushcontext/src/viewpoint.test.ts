import { expect, test } from '@jest/globals';
import { setObject } from '@kedge/config';
import { defaultMeshConfig, parseConfigFile, parseFeatures, parseProxy, type Proxy } from '@kedge/model';
import { standardRegistries } from '@kedge/registry';
import { destinationRule } from './destination-rules.ts';
import { setMeshSettings } from './mesh-settings.ts';
import { PushContext } from './push-context.ts';
import { scopeServices, scopeServicesOfHost } from './scope-services.ts';
import { egressListeners } from './sidecar-scope.ts';

const object = (kind: string, key: string, spec: string): string => {
  const [namespace, name] = key.split('/');
  return `{apiVersion: networking.istio.io/v1, kind: ${kind}, metadata: {name: ${name}, namespace: ${namespace}}, spec: {${spec}}}`;
};
const service = (key: string, host: string, rest = ''): string =>
  object('ServiceEntry', key, `hosts: [${host}], ports: [{number: 80, name: http}], resolution: DNS${rest}`);
const route = (key: string, rest: string): string => object('VirtualService', key, `hosts: [web.example], ${rest}`);
const HTTP = 'http: [{route: [{destination: {host: web.example}}]}]';

const WEB = [service('shop/web', 'web.example'), route('shop/web', HTTP)];

function meshOf(...manifests: readonly string[]): PushContext {
  return PushContext.empty().next((edit) => {
    setMeshSettings(edit, {
      mesh: defaultMeshConfig,
      networks: { networks: {} },
      features: parseFeatures().features,
      environment: { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' },
      registries: standardRegistries('Kubernetes'),
    });
    for (const { config, diagnostics } of parseConfigFile([...WEB, ...manifests].join('\n---\n'), 'test.yaml')) {
      if (!config) throw new Error(JSON.stringify(diagnostics));
      setObject(edit, config, config);
    }
  });
}

function proxyOf(namespace: string): Proxy {
  const parsed = parseProxy({
    id: `sidecar~10.0.0.1~client.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { NAMESPACE: namespace },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

/** Which of the namespaces share what they see. */
function sharing(push: PushContext): readonly string[] {
  const namespaces = ['bank', 'barn', 'farm', 'shop'];
  const scopes = namespaces.map((namespace) => push.evaluate(proxyOf(namespace), egressListeners));
  return namespaces.filter((_, at) => scopes.some((scope, other) => other !== at && scope === scopes[at]));
}

test.each([
  ['what is public is the same for all', [], ['bank', 'barn', 'farm', 'shop']],
  [
    'not for whom a service is exported to',
    [service('farm/a', 'a.example', ', exportTo: [bank]')],
    ['barn', 'farm', 'shop'],
  ],
  ['nor for whom a host is its own', [service('bank/web', 'web.example')], ['barn', 'farm']],
  ['nor for whom routes are', [route('bank/own', `exportTo: ["."], ${HTTP}`)], ['barn', 'farm', 'shop']],
  [
    'nor for whom routes name as client',
    [route('shop/b', 'http: [{match: [{sourceNamespace: bank}], route: [{destination: {host: web.example}}]}]')],
    ['barn', 'farm', 'shop'],
  ],
  ['nor under a Sidecar', [object('Sidecar', 'bank/s', 'egress: [{hosts: ["*/*"]}]')], ['barn', 'farm', 'shop']],
])('%s', (_what, manifests, namespaces) => {
  expect(sharing(meshOf(...manifests))).toEqual(namespaces);
});

/** How often each query was computed for proxies of all namespaces. */
function computed(push: PushContext, ...queries: readonly string[]): readonly (number | undefined)[] {
  for (const namespace of ['bank', 'farm', 'shop', 'barn']) {
    const proxy = proxyOf(namespace);
    push.evaluate(proxy, scopeServices);
    push.evaluate(proxy, destinationRule, 'web.example', 'shop');
  }
  return queries.map((query) => push.memo.computeCounts.get(query));
}

const rule = (key: string, rest = ''): string =>
  object('DestinationRule', key, `host: web.example, trafficPolicy: {tls: {mode: DISABLE}}${rest}`);

test.each([
  ['nobody', [], 1, 1],
  ['nobody, where a rule is for all', [rule('shop/r')], 1, 1],
  ['one who has a rule of its own', [rule('shop/r'), rule('bank/r')], 1, 2],
  ['the owner of a rule that others do not see', [rule('shop/r', ', exportTo: ["."]')], 1, 2],
  ['one to whom a rule is exported', [rule('shop/r', ', exportTo: [bank]')], 1, 3],
  ['proxies of the root namespace, where there is a rule for the mesh', [rule('istio-system/r')], 1, 1],
  ['owners of a host', [service('bank/web', 'web.example')], 3, 1],
])('a host is looked at once for all, and once more for %s', (_who, manifests, services, rules) => {
  expect(computed(meshOf(...manifests), scopeServicesOfHost.name, destinationRule.name)).toEqual([services, rules]);
});
