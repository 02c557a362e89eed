import { describe, expect, test } from '@jest/globals';
import { defaultCapabilities, manifestObjects, type Release, renderChart, type Values } from '@kedge/helm';
import { isInjectionRequired } from '@kedge/inject';
import { parse } from 'yaml';
import { chartCases, valuesOf } from './chart-cases.ts';
import { readChart } from './chart-folder.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly webhooks?: readonly Webhook[];
}

interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly namespaceSelector?: Selector;
  readonly objectSelector?: Selector;
  readonly clientConfig: { readonly service?: { readonly name: string }; readonly caBundle?: string };
}

interface Selector {
  readonly matchExpressions: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

const charts = new Map(Object.keys(chartCases).map((name) => [name, readChart(name)] as const));

function render(name: string, values: Values = {}, release: Partial<Release> = {}): readonly Manifest[] {
  const all = { ...chartCases[name]!.release, isUpgrade: false, ...release };
  const rendered = renderChart(charts.get(name)!, all, values, defaultCapabilities('v1.32.0'));
  return manifestObjects(rendered) as unknown as readonly Manifest[];
}

const discovery = 'istio-control/istio-discovery';
const named = (objects: readonly Manifest[], kind: string, name: string): Manifest | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

/** Kinds of these charts that are of the cluster. */
const isOfCluster = ({ kind }: Manifest): boolean => /^Cluster|Webhook|^ValidatingAdmission|^CustomResource/.test(kind);

describe.each(Object.entries(chartCases))('chart %s', (name, { values }) => {
  const failing = /nowhere|"0\.1"|defaults|kubernetes}|configOverride|ports: \[\]|unknown|many|IPv5/;
  const flat = name === 'gateway' ? /resourceScope: c|hub|tag|env: \{A: 1/ : /^$/;

  test.each(values.filter((text) => !failing.test(text) && !flat.test(text)))('%s gives whole objects', (text) => {
    const objects = render(name, valuesOf(text));
    const keys = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const object of objects) {
      expect(object.metadata.name).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
      expect(object.metadata.namespace === undefined).toBe(isOfCluster(object));
      expect(Object.values(object.metadata.labels ?? {}).filter((value) => typeof value !== 'string')).toEqual([]);
    }
  });

  test.each(values.filter((text) => failing.test(text)))('%s is refused', (text) => {
    expect(() => render(name, valuesOf(text))).toThrow(/execution error|don't meet/);
  });
});

describe('values', () => {
  const envOf = (values: Values): unknown => {
    const [deployment] = render(discovery, values).filter(({ kind }) => kind === 'Deployment');
    const { containers } = (deployment as unknown as { spec: { template: { spec: { containers: { env: unknown }[] } } } }).spec
      .template.spec;
    return containers[0]!.env;
  };
  const ambient = { name: 'PILOT_ENABLE_AMBIENT', value: 'true' };

  test('a profile lies over the defaults, and what the user gives over the profile', () => {
    expect(envOf({})).not.toContainEqual(ambient);
    expect(envOf({ profile: 'ambient' })).toContainEqual(ambient);
    expect(envOf({ global: { profile: 'ambient' }, pilot: { env: { PILOT_ENABLE_AMBIENT: 'no' } } })).toContainEqual({
      ...ambient,
      value: 'no',
    });
  });

  test('a platform lies over a compatibility version, and that over a profile', () => {
    const config = (values: Values): Manifest['data'] =>
      named(render('istio-cni', values), 'ConfigMap', 'istio-cni-config')?.data;
    const values = { profile: 'ambient', compatibilityVersion: '1.26', platform: 'openshift' };
    expect(config(values)).toMatchObject({
      AMBIENT_ENABLED: 'true',
      AMBIENT_RECONCILE_POD_RULES_ON_STARTUP: 'false',
      CHAINED_CNI_PLUGIN: 'false',
    });
    expect(config({ ...values, cni: { chained: true } })).toMatchObject({ CHAINED_CNI_PLUGIN: 'true' });
  });

  test('two administrators install together what one does', () => {
    const keys = (scope: string): readonly string[] =>
      render(discovery, { global: { resourceScope: scope } }).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect([...keys('cluster'), ...keys('namespace')].sort()).toEqual([...keys('all')].sort());
  });
});

describe('the config of injection', () => {
  const config = (values: Values): Readonly<Record<string, unknown>> =>
    parse(named(render(discovery, values), 'ConfigMap', 'istio-sidecar-injector')!.data!.config!) as Record<string, unknown>;

  test('has the templates, of which a known name can be replaced', () => {
    const { templates, defaultTemplates } = config({
      sidecarInjectorWebhook: { templates: { gateway: 'spec: {}', own: 'metadata: {}' } },
    });
    expect(templates).toMatchObject({ sidecar: expect.stringContaining('istio-proxy'), gateway: 'spec: {}', own: 'metadata: {}' });
    expect(defaultTemplates).toEqual(['sidecar']);
  });

  test('decides which pods are injected', () => {
    const policy = config({
      global: { proxy: { autoInject: 'disabled' } },
      sidecarInjectorWebhook: { alwaysInjectSelector: [{ matchLabels: { app: 'web' } }] },
    }) as unknown as Parameters<typeof isInjectionRequired>[0];
    const pod = (app: string) => ({ metadata: { labels: { app } }, spec: { containers: [] } });
    expect(['web', 'db'].map((app) => isInjectionRequired(policy, pod(app)))).toEqual([true, false]);
  });
});

describe('which revision injects a pod', () => {
  const matches = ({ matchExpressions }: Selector, labels: Readonly<Record<string, string>>): boolean =>
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        case 'In':
          return value !== undefined && values.includes(value);
        default:
          return value === undefined || !values.includes(value);
      }
    });
  const webhooksOf = (objects: readonly Manifest[]): readonly Webhook[] =>
    objects.filter(({ kind }) => kind === 'MutatingWebhookConfiguration').flatMap(({ webhooks = [] }) => webhooks);
  const stable = webhooksOf(render(discovery));
  const canary = webhooksOf(render(discovery, { revision: 'canary' }));
  const eager = webhooksOf(render(discovery, { sidecarInjectorWebhook: { enableNamespacesByDefault: true } }));
  const injectors = (webhooks: readonly Webhook[], namespace: object, pod: object): readonly (string | undefined)[] =>
    webhooks
      .filter(({ namespaceSelector, objectSelector }) =>
        matches(namespaceSelector!, { ...namespace, 'kubernetes.io/metadata.name': 'apps' }) && matches(objectSelector!, { ...pod }),
      )
      .map(({ clientConfig }) => clientConfig.service?.name);

  const rev = { 'istio.io/rev': 'canary' };
  const enabled = { 'istio-injection': 'enabled' };
  const wanted = { 'sidecar.istio.io/inject': 'true' };
  test.each<[object, object, string | undefined]>([
    [{}, {}, undefined],
    [{}, rev, 'istiod-canary'],
    [{}, wanted, 'istiod'],
    [{}, { ...wanted, ...rev }, 'istiod-canary'],
    [rev, {}, 'istiod-canary'],
    [rev, rev, 'istiod-canary'],
    [rev, wanted, 'istiod-canary'],
    [rev, { ...wanted, ...rev }, 'istiod-canary'],
    [enabled, {}, 'istiod'],
    [enabled, wanted, 'istiod'],
    [enabled, rev, 'istiod'],
    [enabled, { ...wanted, ...rev }, 'istiod'],
    [{ ...enabled, ...rev }, rev, 'istiod'],
    [{ 'istio-injection': 'disabled' }, { ...wanted, ...rev }, undefined],
    [enabled, { 'sidecar.istio.io/inject': 'false' }, undefined],
    [{ 'istio.io/rev': 'default' }, {}, 'istiod'],
  ])('namespace %j, pod %j: %s', (namespace, pod, expected) => {
    expect(injectors([...stable, ...canary], namespace, pod)).toEqual(expected === undefined ? [] : [expected]);
  });

  test('all pods without a label, if that is wanted', () => {
    expect(injectors(eager, {}, {})).toEqual(['istiod']);
    expect(injectors(eager, {}, { 'sidecar.istio.io/inject': 'false' })).toEqual([]);
  });

  test.each([
    ['a tag', render(discovery, { revision: 'canary', revisionTags: ['prod'] }), { 'istio.io/rev': 'prod' }],
    ['the tag default', render(discovery, { revision: 'canary', revisionTags: ['default'] }), enabled],
    ['the chart default', render('default', { revision: 'canary' }), enabled],
  ])('%s stands for a revision', (_, objects, namespace) => {
    expect(injectors(webhooksOf(objects), namespace, {})).toEqual(['istiod-canary']);
  });
});

describe('what istiod changes in webhooks', () => {
  const validators = [
    ['base', 'istiod-default-validator'],
    ['default', 'istiod-default-validator'],
    [discovery, 'istio-validator-istio-system'],
  ] as const;
  const webhook = (chart: string, name: string, values: Values, isUpgrade: boolean): Webhook =>
    named(render(chart, values, { isUpgrade }), 'ValidatingWebhookConfiguration', name)!.webhooks![0]!;

  test.each(validators)('%s: is set once, when it is installed', (chart, name) => {
    expect(webhook(chart, name, {}, false).failurePolicy).toBe('Ignore');
    const later = webhook(chart, name, {}, true);
    expect(later).not.toHaveProperty('failurePolicy');
    expect(later.clientConfig).not.toHaveProperty('caBundle');
  });

  test.each(validators.filter(([chart]) => chart !== 'default'))('%s: is the chart’s where the user decides it', (chart, name) => {
    const bundle = webhook(chart, name, { base: { validationCABundle: 'Q0E=' } }, true);
    expect(bundle).toMatchObject({ failurePolicy: 'Fail', clientConfig: { caBundle: 'Q0E=' } });
    expect(webhook(chart, name, { base: { validationFailurePolicy: 'Ignore' } }, true).failurePolicy).toBe('Ignore');
  });
});
