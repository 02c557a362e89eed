import { describe, expect, test } from '@jest/globals';
import { setObject } from '@kedge/config';
import { defaultMeshConfig, parseConfigFile, parseFeatures, parseProxy, type Proxy } from '@kedge/model';
import { standardRegistries } from '@kedge/registry';
import { destinationRule, inboundDestinationRule } from './destination-rules.ts';
import { setMeshSettings } from './mesh-settings.ts';
import { PushContext } from './push-context.ts';

const HOST = 'web.shop.svc.cluster.local';

/** Rules written as `namespace/name: spec`, each an hour younger than the one before. */
function rules(written: Readonly<Record<string, string>>): PushContext {
  const manifests = Object.entries(written).map(([key, spec], hour) => {
    const [namespace, name] = key.split('/');
    return `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ${name}, namespace: ${namespace}, creationTimestamp: "2024-01-01T0${hour}:00:00Z"}
spec: {${spec}}`;
  });
  return PushContext.empty().next((edit) => {
    setMeshSettings(edit, {
      mesh: defaultMeshConfig,
      networks: { networks: {} },
      features: parseFeatures().features,
      environment: { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' },
      registries: standardRegistries('Kubernetes'),
    });
    for (const { config } of parseConfigFile(manifests.join('\n---'), 'rules.yaml')) {
      if (config) setObject(edit, config, config);
    }
  });
}

function client(namespace: string, labels: Readonly<Record<string, string>> = {}): Proxy {
  const parsed = parseProxy({
    id: `sidecar~10.0.0.1~client.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { NAMESPACE: namespace, LABELS: labels },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

const ruleOf = (push: PushContext, proxy: Proxy): string | undefined => {
  const rule = push.evaluate(proxy, destinationRule, HOST, 'shop');
  return rule && rule.from.map(({ namespace, name }) => `${namespace}/${name}`).join('+');
};

describe('which rule', () => {
  test("the client's own namespace, then the service's, then the root's", () => {
    const push = rules({
      'istio-system/root': 'host: "*.local"',
      'shop/service': 'host: web',
      'bank/own': `host: ${HOST}`,
    });
    expect(ruleOf(push, client('bank'))).toBe('bank/own');
    expect(ruleOf(push, client('farm'))).toBe('shop/service');
    expect(ruleOf(rules({ 'istio-system/root': 'host: "*.local"' }), client('farm'))).toBe('istio-system/root');
  });

  test('the most specific host within a namespace', () => {
    const push = rules({
      'shop/all': 'host: "*"',
      'shop/wide': 'host: "*.shop.svc.cluster.local"',
      'shop/api': 'host: api',
    });
    expect(ruleOf(push, client('shop'))).toBe('shop/wide');
  });

  test('only rules that are exported to the client', () => {
    const push = rules({ 'shop/private': 'host: web, exportTo: ["."]', 'istio-system/root': 'host: "*"' });
    expect(ruleOf(push, client('shop'))).toBe('shop/private');
    expect(ruleOf(push, client('bank'))).toBe('istio-system/root');
  });

  test('clients in the root namespace use rules for the mesh only where the service has none', () => {
    const push = rules({ 'istio-system/mesh': 'host: "*"', 'shop/service': 'host: web' });
    expect(ruleOf(push, client('istio-system'))).toBe('shop/service');
  });

  test('a rule for selected workloads beside one for all', () => {
    const push = rules({
      'shop/all': 'host: web',
      'shop/v1': 'host: web, workloadSelector: {matchLabels: {version: v1}}',
    });
    expect(ruleOf(push, client('shop', { version: 'v1' }))).toBe('shop/v1');
    expect(ruleOf(push, client('shop', { version: 'v2' }))).toBe('shop/all');
    expect(ruleOf(push, client('bank', { version: 'v1' }))).toBe('shop/all');
    expect(push.evaluate(client('shop', { version: 'v1' }), inboundDestinationRule, HOST, 'shop')?.name).toBe('all');
  });

  test('where a selector does not match, the look-up goes on in wider hosts', () => {
    const push = rules({
      'shop/v1': 'host: web, workloadSelector: {matchLabels: {version: v1}}',
      'shop/wide': 'host: "*.shop.svc.cluster.local"',
    });
    expect(ruleOf(push, client('shop'))).toBe('shop/wide');
  });
});

describe('merging', () => {
  test('the older keeps its policy and subsets, the younger adds to them', () => {
    const push = rules({
      'shop/older': 'host: web, subsets: [{name: a, labels: {v: "1"}}]',
      'shop/younger': 'host: web, trafficPolicy: {tls: {mode: SIMPLE}}, subsets: [{name: a}, {name: b}]',
    });
    const rule = push.evaluate(client('shop'), destinationRule, HOST, 'shop');
    expect(rule).toMatchObject({
      name: 'older',
      trafficPolicy: { tls: { mode: 'SIMPLE' } },
      subsets: [{ name: 'a', labels: { v: '1' } }, { name: 'b' }],
    });
  });

  test('a rule for all adds to those for selected workloads, if it is for the same clients', () => {
    const selected = 'host: web, workloadSelector: {matchLabels: {version: v1}}';
    const subset = (exportTo: string): string => `host: web, exportTo: ["${exportTo}"], subsets: [{name: a}]`;
    const subsets = (push: PushContext, version: string): readonly string[] | undefined =>
      push.evaluate(client('shop', { version }), destinationRule, HOST, 'shop')?.subsets.map(({ name }) => name);
    const near = rules({ 'shop/v1': selected, 'shop/all': subset('.') });
    expect(subsets(near, 'v1')).toEqual(['a']);
    expect(subsets(near, 'v2')).toEqual(['a']);
    expect(ruleOf(near, client('shop', { version: 'v2' }))).toBe('shop/all');
    expect(subsets(rules({ 'shop/v1': selected, 'shop/all': subset('*') }), 'v1')).toEqual([]);
  });

  test('rules for other clients stay apart, and the youngest counts', () => {
    const push = rules({ 'shop/older': 'host: web, exportTo: ["*"]', 'shop/younger': 'host: web, exportTo: [shop]' });
    expect(ruleOf(push, client('shop'))).toBe('shop/younger');
    expect(ruleOf(push, client('bank'))).toBe('shop/older');
  });

  test('clients of all namespaces have the identical result', () => {
    const push = rules({ 'shop/one': 'host: web', 'shop/two': 'host: web' });
    const inShop = push.evaluate(client('shop'), destinationRule, HOST, 'shop');
    expect(inShop?.from).toHaveLength(2);
    expect(push.evaluate(client('bank'), destinationRule, HOST, 'shop')).toBe(inShop);
  });
});
