import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestCluster, until } from '@kedge/testbed';
import { buildAgentImage, image } from './testing/agent-image.ts';
import { agentObjects, meshPod, plainPod } from './testing/cluster-objects.ts';
import { TemporaryFolder } from './testing/temporary-folder.ts';

const cluster = TestCluster.find('node');
if (typeof cluster === 'string') process.stderr.write(`tests of CNI in a cluster are left out: ${cluster}\n`);

/** Where the node's containerd looks for plugins and configurations. */
const binDir = '/usr/lib/cni';
const netDir = '/etc/cni/net.d';
const configFile = `${netDir}/10-bridge.conflist`;
const namespace = 'cni-test';

interface Pod {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly podIP: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly containerID?: string }[];
    readonly initContainerStatuses?: readonly { readonly restartCount: number }[];
  };
}

const isReady = ({ status }: Pod) => status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');

/** The node with an agent on it. */
class MeshNode {
  readonly cluster: TestCluster;

  constructor(to: TestCluster) {
    this.cluster = to;
  }

  pods(where = namespace, prefix = ''): readonly Pod[] {
    const { items } = this.cluster.get('pods', '-n', where) as { readonly items: readonly Pod[] };
    return items.filter(({ metadata }) => metadata.name.startsWith(prefix));
  }

  /** The pods whose names begin so, once all of them are ready. */
  ready(prefix: string, timeoutMs = 60_000): Promise<readonly Pod[]> {
    const readyPods = () => {
      const pods = this.pods(namespace, prefix);
      return pods.length > 0 && pods.every(isReady) ? pods : undefined;
    };
    return until(`the pods ${prefix}*`, readyPods, { timeoutMs });
  }

  async remove(prefix: string): Promise<void> {
    const names = this.pods(namespace, prefix).map(({ metadata }) => metadata.name);
    this.cluster.kubectl('delete', 'pod', '-n', namespace, '--wait=false', ...names);
    await until(`the end of the pods ${prefix}*`, () => this.pods(namespace, prefix).length === 0, {
      timeoutMs: 60_000,
    });
  }

  /** Who answers a connection from a container. */
  answer(pod: string, container: string, host: string, port: number): string {
    const connect = `
      const socket = require('node:net').connect(${port}, '${host}');
      const end = (answer) => { console.log(String(answer)); process.exit(); };
      socket.on('data', end).on('error', (error) => end(error.code)).setTimeout(3000, () => end('nobody'));`;
    const command = ['exec', '-n', namespace, pod, '-c', container, '--', image.node, '-e', connect];
    return this.cluster.kubectl(...command).trim();
  }

  get config(): string {
    return this.cluster.onNode('cat', configFile);
  }

  /** Writes the network's configuration, as the agent of another plugin would. */
  rewriteConfig(content: string): void {
    this.cluster.onNode('sh', '-c', 'printf %s "$1" > "$2"', 'sh', content, configFile);
  }

  get plugins(): readonly string[] {
    return (JSON.parse(this.config) as { readonly plugins: readonly { type: string }[] }).plugins.map(
      ({ type }) => type,
    );
  }

  agentReady() {
    const isUp = () => this.pods('istio-system').some(isReady) && this.plugins.includes('istio-cni');
    return until('the agent', isUp, { timeoutMs: 60_000 });
  }

  /** Sends a signal to the agent's process. */
  signalAgent(signal: 'STOP' | 'CONT' | 'KILL'): void {
    const id = this.pods('istio-system')[0]?.status.containerStatuses?.[0]?.containerID?.split('//')[1] ?? 'none';
    const tasks = this.cluster.onNode('ctr', '-n', 'k8s.io', 'tasks', 'ls').split('\n');
    const [, pid] = tasks.find((line) => line.startsWith(id))?.split(/\s+/) ?? [];
    if (pid === undefined) throw new Error('the agent does not run');
    this.cluster.onNode('kill', `-${signal}`, pid);
  }

  agentLog(): string {
    return this.cluster.kubectl('logs', '-n', 'istio-system', 'daemonset/istio-cni-node');
  }

  /** What has been reported of a pod. */
  events(pod: string): string {
    const selector = `involvedObject.name=${pod}`;
    return this.cluster.kubectl(
      'get',
      'events',
      '-n',
      namespace,
      '--field-selector',
      selector,
      '-o',
      'jsonpath={.items[*].message}',
    );
  }

  /** What the agent has on the node besides the configuration. */
  files(): readonly string[] {
    return [binDir, netDir, '/var/run/istio-cni']
      .flatMap((folder) => this.cluster.onNode('sh', '-c', 'ls -A "$1" 2>/dev/null || true', 'sh', folder).split('\n'))
      .filter((name) => name.includes('istio-cni'));
  }
}

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
    node.cluster.apply(...agentObjects(binDir, { REPAIR_REPAIR_PODS: 'true' }));
    await node.agentReady();
  });

  afterAll(async () => {
    for (const name of [namespace, 'istio-system']) {
      node.cluster.kubectl('delete', 'namespace', name, '--ignore-not-found', '--timeout=60s');
    }
    if (node.config !== untouched) node.rewriteConfig(untouched);
  });

  test('pods of the mesh are redirected, without an init container that could and without capabilities; others are not', async () => {
    node.cluster.apply(meshPod('web', namespace), meshPod('client', namespace), plainPod('plain', namespace));
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
        ['plain', 'app', 'plain'],
      ]),
    ).toEqual(['proxy 15006', 'proxy 15001', 'application 8080', 'proxy 15006', 'application 8080']);
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

  test('an agent that goes takes everything away, and pods are made without it', async () => {
    node.cluster.kubectl('delete', 'daemonset', '-n', 'istio-system', 'istio-cni-node', '--timeout=60s');
    await until('the end of the agent', () => node.pods('istio-system').length === 0, { timeoutMs: 30_000 });
    expect(node.plugins).toEqual(['bridge', 'portmap']);
    expect(node.files().filter((name) => name !== 'istio-cni.log')).toEqual([]);
    node.cluster.apply(plainPod('later', namespace));
    const [pod] = await node.ready('later');
    expect(node.answer('plain', 'app', pod!.status.podIP, 8080)).toBe('application 8080');
  });
});
