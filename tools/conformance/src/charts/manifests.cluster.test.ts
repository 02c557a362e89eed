import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  gatewayClasses,
  type InjectionConfig,
  type InjectionMesh,
  type InjectionValues,
  type ProxyConfig,
  renderGateway,
} from '@kedge/inject';
import { generateManifests, type Manifest, mergeInputs, profileNames } from '@kedge/install';
import { defaultMeshConfig, defaultProxyConfig } from '@kedge/model';
import { TestCluster } from '@kedge/testbed';
import { parse } from 'yaml';
import { readChart } from './chart-folder.ts';

const namespace = 'manifests-test';

const cluster = TestCluster.find('api');
if (typeof cluster === 'string') {
  process.stderr.write(`tests of manifests with an API server are left out: ${cluster}\n`);
  test.skip('with a real API server', () => undefined);
} else {
  testIn(cluster);
}

/** Definitions of kinds have a test of their own; networks are Multus's, whose definition a cluster need not have. */
const LEFT_OUT: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'NetworkAttachmentDefinition']);

/** What is made for a profile. */
function manifestsOf(sets: readonly string[]): readonly Manifest[] {
  const inNamespace = [`values.global.istioNamespace=${namespace}`, 'components.base.enabled=true'];
  const operator = mergeInputs({ sets: [...inNamespace, 'values.base.enableCRDTemplates=false', ...sets] });
  return generateManifests(operator, { charts: readChart })
    .flatMap(({ manifests }) => manifests)
    .filter(({ kind }) => !LEFT_OUT.has(kind));
}

function testIn(cluster: TestCluster): void {
  beforeAll(() => cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  afterAll(() => void cluster.kubectl('delete', 'namespace', namespace, '--wait=false'));

  test.each(profileNames)('profile %s is accepted', (name) => {
    const manifests = manifestsOf([`profile=${name}`, 'components.cni.namespace=', 'components.ztunnel.namespace=']);
    expect(manifests.length).toBeGreaterThan(0);
    cluster.dryRun(...manifests.map(({ object }) => object));
  });

  test.each(gatewayClasses)('what is made for a Gateway of $controller is accepted', (gatewayClass) => {
    const injector = manifestsOf([]).find(({ name }) => name === 'istio-sidecar-injector');
    const { data } = injector!.object as unknown as { readonly data: { readonly config: string; readonly values: string } };
    const objects = renderGateway({
      gateway: {
        metadata: { name: 'gw', namespace, uid: '0' },
        spec: { gatewayClassName: 'c', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
      },
      gatewayClass,
      templates: (parse(data.config) as InjectionConfig).templates,
      values: JSON.parse(data.values) as InjectionValues,
      mesh: { ...defaultMeshConfig } as unknown as InjectionMesh,
      proxyConfig: { ...defaultProxyConfig } as ProxyConfig,
      proxyDefaults: { ...defaultProxyConfig } as ProxyConfig,
      clusterId: 'Kubernetes',
      revision: '',
      customizations: [{ horizontalPodAutoscaler: 'spec: {maxReplicas: 2}', podDisruptionBudget: 'spec: {minAvailable: 1}' }],
    });
    expect(objects.map(({ kind }) => kind)).toEqual([
      ...['ServiceAccount', 'Deployment', 'Service', 'HorizontalPodAutoscaler', 'PodDisruptionBudget'],
    ]);
    cluster.dryRun(...objects);
  });
}
