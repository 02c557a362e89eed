import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultCapabilities, manifestObjects, renderChart, type Values } from '@kedge/helm';
import { TestCluster } from '@kedge/testbed';
import { join } from 'node:path';
import { chartCases, valuesOf } from './chart-cases.ts';
import { chartsFolder, readChart } from './chart-folder.ts';
import { HelmScratch, helms } from './real-helm.ts';

const namespace = 'charts-test';

const cluster = TestCluster.find('api');
const reason = typeof cluster === 'string' ? cluster : helms.length === 0 ? 'HELM_BIN is not set' : undefined;
if (typeof cluster === 'string' || reason !== undefined) {
  process.stderr.write(`tests of charts in a cluster are left out: ${reason}\n`);
  test.skip('with a real API server', () => undefined);
} else {
  testIn(cluster);
}

interface WebhookConfiguration {
  readonly webhooks: readonly { readonly failurePolicy?: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

/** In the namespace of the test, and under a name that nobody else has in the cluster. */
function inTest(object: Values): Values {
  const { name, namespace: own } = object.metadata as Readonly<Record<string, string>>;
  const metadata = { ...(object.metadata as object), name: `test-${name}`, ...(own !== undefined && { namespace }) };
  return { ...object, metadata };
}

function testIn(cluster: TestCluster): void {
  const scratch = new HelmScratch();
  beforeAll(() => {
    cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=60s');
    cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });
  afterAll(() => {
    cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--wait=false');
    scratch[Symbol.dispose]();
  });

  /** Values that users get wrong, or that make nothing for an API server to judge. */
  const leftOut = /nowhere|"0\.1"|defaults: \{hub|kubernetes}|configOverride|ports: \[\]|unknown|many|IPv5|annotations: \{a: 1\}/;
  /** Definitions are judged by themselves; a cluster may be without Multus, or have a release of the same name. */
  const isJudged = ({ kind }: Values): boolean => kind !== 'CustomResourceDefinition' && kind !== 'NetworkAttachmentDefinition';

  describe.each(Object.entries(chartCases))('chart %s', (name, { release, values }) => {
    const chart = readChart(name);
    const accepted = values.filter((text) => !leftOut.test(text) && !(name === 'gateway' && /hub|resourceScope|env: \{A/.test(text)));
    test.each(accepted)('objects of %s are accepted', (text) => {
      const rendered = renderChart(chart, { ...release, namespace }, valuesOf(text), defaultCapabilities('v1.32.0'));
      const objects = manifestObjects(rendered).filter(isJudged).map(inTest);
      if (objects.length > 0) cluster.dryRun(...objects);
    });
  });

  describe.each(helms)('%s', (helm) => {
    const revision = `charts-test-${helms.indexOf(helm)}`;
    const values = ['--set', `revision=${revision},global.istioNamespace=${namespace},autoscaleEnabled=false,replicaCount=0`];
    const run = (command: string, ...more: readonly string[]): void => {
      const args = [command, revision, '--namespace', namespace, '--kubeconfig', cluster.kubeconfig, ...more];
      const { status, stderr } = scratch.run(helm, args);
      expect({ status, stderr }).toMatchObject({ status: 0 });
    };
    const chart = join(chartsFolder, 'istio-control/istio-discovery');
    const validator = ['validatingwebhookconfiguration', `istio-validator-${revision}-${namespace}`];
    const injector = ['mutatingwebhookconfiguration', `istio-sidecar-injector-${revision}-${namespace}`];
    const read = (object: readonly string[]) => cluster.get(...object) as WebhookConfiguration;

    test('an upgrade leaves alone what istiod has changed in webhooks', () => {
      run('install', chart, ...values);
      try {
        expect(read(validator).webhooks[0]).toMatchObject({ failurePolicy: 'Ignore' });
        const caPath = '-o=jsonpath={.clusters[0].cluster.certificate-authority-data}';
        const caBundle = cluster.kubectl('config', 'view', '--raw', caPath);
        for (const object of [validator, injector]) {
          const patches = read(object).webhooks.flatMap((_, index) => [
            { op: 'add', path: `/webhooks/${index}/failurePolicy`, value: 'Fail' },
            { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle },
          ]);
          cluster.kubectl('patch', ...object, '--type=json', '--field-manager=istiod', '-p', JSON.stringify(patches));
        }
        run('upgrade', chart, ...values, '--set', 'podLabels.changed=yes');
        for (const object of [validator, injector]) {
          for (const webhook of read(object).webhooks)
            expect(webhook).toMatchObject({ failurePolicy: 'Fail', clientConfig: { caBundle } });
        }
      } finally {
        run('uninstall');
      }
    });
  });
}
