import { fileURLToPath } from 'node:url';
import { type TestCluster, until } from '@kedge/testbed';
import { image } from './agent-image.ts';

/** Where the node's containerd looks for plugins and configurations. */
const binDir = '/usr/lib/cni';
const netDir = '/etc/cni/net.d';
const configFile = `${netDir}/10-bridge.conflist`;
const runDir = '/var/run/istio-cni';
const agentNamespace = 'cni-test-agent';
const daemonSet = 'daemonset/istio-cni-node';
const release = ['istio-cni', '-n', agentNamespace];
const chart = fileURLToPath(new URL('../../../../charts/istio-cni', import.meta.url));
/** Of the pods of tests. */
export const namespace = 'cni-test';

interface Pod {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly phase: string;
    readonly podIP: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly containerID?: string }[];
    readonly initContainerStatuses?: readonly { readonly restartCount: number }[];
  };
}

const isReady = ({ status }: Pod) => status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');

export const hasFailed = ({ status }: Pod) => status.phase === 'Failed';

/** The node with an agent on it. */
export class MeshNode {
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

  /** The types of the plugins in the network's configuration. */
  get plugins(): readonly string[] {
    return (JSON.parse(this.config) as { readonly plugins: readonly { type: string }[] }).plugins.map(
      ({ type }) => type,
    );
  }

  /** Installs the agent by its chart, or has it replaced by one with other values. */
  async deploy(values: object): Promise<void> {
    const install = [
      'upgrade',
      '--install',
      '--create-namespace',
      ...release,
      chart,
      '--wait',
      '--timeout=90s',
      '-f',
      '-',
    ];
    this.cluster.helm(install, {
      image: image.reference,
      cniBinDir: binDir,
      cniConfDir: netDir,
      logging: { level: 'default:info,cni-plugin:debug' },
      terminationGracePeriodSeconds: 5,
      // Values are a ConfigMap, for which pods aren't replaced.
      podAnnotations: { 'test/values': JSON.stringify(values) },
      ...values,
    });
    await until('the kubeconfig', () => this.files().includes('istio-cni-kubeconfig'));
  }

  /** Ends the agent, which tidies up. */
  async undeploy(): Promise<void> {
    this.cluster.helm(['uninstall', ...release, '--ignore-not-found', '--wait', '--timeout=90s']);
    await until('the end of the agent', () => this.pods(agentNamespace).length === 0);
  }

  /** What is left on the node when it starts again, while there is no agent yet. */
  restartNode(): void {
    this.signalAgent('STOP');
    this.cluster.onNode('sh', '-c', 'rm -f "$1"/*', 'sh', runDir);
  }

  /** The agent's pod goes without being asked, and another one comes. */
  replaceAgent(): void {
    this.signalAgent('KILL');
    this.cluster.kubectl('delete', 'pod', '-n', agentNamespace, '--all', '--force', '--wait=false');
  }

  async removeAll(): Promise<void> {
    await this.undeploy();
    this.cluster.kubectl('delete', 'namespace', namespace, agentNamespace, '--ignore-not-found', '--timeout=60s');
  }

  agentReady() {
    const isUp = () => this.pods(agentNamespace).some(isReady) && this.plugins.includes('istio-cni');
    return until('the agent', isUp, { timeoutMs: 60_000 });
  }

  /** Sends a signal to the agent's process. */
  signalAgent(signal: 'STOP' | 'CONT' | 'KILL'): void {
    const id = this.pods(agentNamespace)[0]?.status.containerStatuses?.[0]?.containerID?.split('//')[1] ?? 'none';
    const tasks = this.cluster.onNode('ctr', '-n', 'k8s.io', 'tasks', 'ls').split('\n');
    const [, pid] = tasks.find((line) => line.startsWith(id))?.split(/\s+/) ?? [];
    if (pid === undefined) throw new Error('the agent does not run');
    this.cluster.onNode('kill', `-${signal}`, pid);
  }

  agentLog(): string {
    return this.cluster.kubectl('logs', '-n', agentNamespace, daemonSet);
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
    return [binDir, netDir, runDir]
      .flatMap((folder) => this.cluster.onNode('sh', '-c', 'ls -A "$1" 2>/dev/null || true', 'sh', folder).split('\n'))
      .filter((name) => name.includes('istio-cni'));
  }
}
