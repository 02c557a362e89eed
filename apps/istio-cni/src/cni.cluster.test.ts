import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestCluster, until } from '@kedge/testbed';
import { buildAgentImage } from './testing/agent-image.ts';
import { meshJob, meshPod, nativeSidecarPod, plainPod } from './testing/cluster-objects.ts';
import { hasFailed, MeshNode, namespace } from './testing/mesh-node.ts';
import { TemporaryFolder } from './testing/temporary-folder.ts';

const cluster = TestCluster.find('node');
if (typeof cluster === 'string') process.stderr.write(`tests of CNI in a cluster are left out: ${cluster}\n`);

const suite = typeof cluster === 'string' ? describe.skip : describe;

suite('CNI on a node', () => {
  const node = new MeshNode(cluster as TestCluster);
  let untouched: string;

  beforeAll(async () => {
    untouched = node.config;
    using folder = new TemporaryFolder();
    buildAgentImage(folder.at('image.tar'));
    node.cluster.importImages(folder.at('image.tar'));
    node.cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await node.deploy({});
  });

  afterAll(async () => {
    await node.removeAll();
    if (node.config !== untouched) node.rewriteConfig(untouched);
  });

  test('pods of the mesh are redirected, without an init container that could and without capabilities; others are not', async () => {
    node.cluster.apply(meshPod('web', namespace), meshPod('client', namespace));
    node.cluster.apply(nativeSidecarPod('native', namespace), plainPod('plain', namespace));
    await node.ready('');
    const address = Object.fromEntries(node.pods().map(({ metadata, status }) => [metadata.name, status.podIP]));
    const answers = (rows: readonly (readonly [pod: string, container: string, to: string])[]) =>
      rows.map(([pod, container, to]) => node.answer(pod, container, address[to]!, 8080));
    expect(
      answers([
        ['plain', 'app', 'web'],
        ['client', 'app', 'plain'],
        ['client', 'istio-proxy', 'plain'],
        ['client', 'istio-proxy', 'web'],
        ['plain', 'app', 'native'],
        ['plain', 'app', 'plain'],
      ]),
    ).toEqual(['proxy 15006', 'proxy 15001', 'application 8080', 'proxy 15006', 'proxy 15006', 'application 8080']);
    expect(node.agentLog()).toMatch(
      /cni-plugin\t.*not redirected: it has no container istio-proxy.*pod=cni-test\/plain/,
    );
  });

  test('a configuration that another program writes anew is mended within seconds', async () => {
    const start = performance.now();
    node.rewriteConfig(untouched);
    await until('the entry', () => node.plugins.includes('istio-cni'), { timeoutMs: 5_000 });
    process.stderr.write(`mended after ${Math.round(performance.now() - start)} ms\n`);
    expect(node.plugins).toEqual(['bridge', 'portmap', 'istio-cni']);
  });

  test('a pod that started meanwhile is repaired', async () => {
    node.signalAgent('STOP');
    node.rewriteConfig(untouched);
    node.cluster.apply(meshPod('meanwhile', namespace));
    const failures = () => node.pods(namespace, 'meanwhile')[0]?.status.initContainerStatuses?.[0]?.restartCount ?? 0;
    await until('the failure of its validation', () => failures() > 0, { timeoutMs: 60_000 });
    expect(node.plugins).not.toContain('istio-cni');
    node.signalAgent('CONT');
    const [pod] = await node.ready('meanwhile', 120_000);
    expect(node.answer('plain', 'app', pod!.status.podIP, 8080)).toBe('proxy 15006');
    expect(node.plugins).toContain('istio-cni');
  });

  test('an agent that is killed while pods are made leaves no half-written file and no stuck pod', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `killed-${index}`);
    node.cluster.apply(...names.map((name) => meshPod(name, namespace, false)));
    await until('a call of the plugin', () => node.cluster.onNode('pgrep', '-f', 'istio-cni-runtime-') !== '');
    node.signalAgent('KILL');
    await node.agentReady();
    const pods = await node.ready('killed-', 120_000);
    expect(pods).toHaveLength(names.length);
    expect(node.plugins).toEqual(['bridge', 'portmap', 'istio-cni']);
    expect(node.files().filter((name) => name.includes('tmp'))).toEqual([]);
    await node.remove('killed-');
  });

  test('without the API server there is an error that says so, and a later attempt of the kubelet succeeds', async () => {
    // Of all that run on the node, the plugin alone uses the service's address.
    const { spec } = node.cluster.get('service', 'kubernetes') as { readonly spec: { readonly clusterIP: string } };
    const rule = [
      'OUTPUT',
      '-p',
      'tcp',
      '-m',
      'conntrack',
      '--ctorigdst',
      spec.clusterIP,
      '-j',
      'REJECT',
      '--reject-with',
      'tcp-reset',
    ];
    node.cluster.onNode('iptables', '-I', ...rule);
    try {
      node.cluster.apply(meshPod('outage', namespace, false));
      const told = () => node.events('outage').includes("the pod cni-test/outage can't be read from the API server");
      await until('the error', told, { timeoutMs: 60_000 });
    } finally {
      node.cluster.onNode('iptables', '-D', ...rule);
    }
    expect(await node.ready('outage', 120_000)).toHaveLength(1);
  });

  test('after a restart of the node, pods of the mesh wait for the agent, and it does not wait for itself', async () => {
    node.restartNode();
    node.cluster.apply(meshPod('early', namespace, false));
    const told = () => node.events('early').includes("is missing; is this node's istio-cni-node pod running?");
    await until('the error', told, { timeoutMs: 60_000 });
    node.replaceAgent();
    expect(await node.ready('early', 120_000)).toHaveLength(1);
  });

  test('50 pods at once', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
    const start = performance.now();
    node.cluster.apply(...names.map((name) => meshPod(name, namespace, false)));
    // Each has an init container that fails unless its traffic is redirected.
    const pods = await node.ready('many-', 200_000);
    process.stderr.write(`50 pods were ready after ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    expect(pods).toHaveLength(names.length);
    expect(pods.flatMap(({ status }) => status.initContainerStatuses?.map((each) => each.restartCount))).toEqual(
      names.map(() => 0),
    );
    await node.remove('many-');
  });

  test('a pod of a Job that failed for it was not redirected is deleted, and its Job makes another', async () => {
    await node.deploy({ repair: { repairPods: false, deletePods: true } });
    node.signalAgent('STOP');
    node.rewriteConfig(untouched);
    node.cluster.apply(meshJob('job', namespace));
    const failed = await until('its failure', () => node.pods(namespace, 'job').find(hasFailed), { timeoutMs: 60_000 });
    node.signalAgent('CONT');
    const [pod] = await node.ready('job', 120_000);
    expect(pod!.metadata.name).not.toBe(failed.metadata.name);
    expect(node.answer('plain', 'app', pod!.status.podIP, 8080)).toBe('proxy 15006');
    expect(node.events(failed.metadata.name)).toContain('pod detected as broken, deleted');
  });

  test('with a configuration of its own, the agent leaves that of the network alone; rules of nft', async () => {
    await node.deploy({ istioOwnedCNIConfig: true, global: { nativeNftables: true } });
    expect(node.plugins).toEqual(['bridge', 'portmap']);
    expect(node.files()).toContain('02-istio-cni.conflist');
    node.cluster.apply(meshPod('owned', namespace));
    const [pod] = await node.ready('owned');
    expect(node.answer('plain', 'app', pod!.status.podIP, 8080)).toBe('proxy 15006');
    expect(node.agentLog()).toMatch(/cni-plugin\t.*nftables: the rules are in effect.*pod=cni-test\/owned/);
  });

  test('an agent that goes takes everything away, and pods are made without it', async () => {
    await node.undeploy();
    expect(node.plugins).toEqual(['bridge', 'portmap']);
    expect(node.files().filter((name) => name !== 'istio-cni.log')).toEqual([]);
    node.cluster.apply(plainPod('later', namespace));
    const [pod] = await node.ready('later');
    expect(node.answer('plain', 'app', pod!.status.podIP, 8080)).toBe('application 8080');
  });
});
