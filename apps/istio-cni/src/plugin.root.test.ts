import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createLogging } from '@kedge/observability';
import { serveLogs } from './agent/log-server.ts';
import { installKubeconfig } from './agent/kubeconfig.ts';
import { buildPlugin, callPlugin, pluginFolder } from './testing/built-plugin.ts';
import { FakeApiServer } from './testing/fake-api-server.ts';
import { missingForRoot, PodNamespace } from './testing/pod-namespace.ts';
import { podWithSidecar } from './testing/pods.ts';
import { TemporaryFolder } from './testing/temporary-folder.ts';
import { loopbackCertificate } from './testing/tls.ts';

const missing = missingForRoot(['ip', 'nft', 'iptables-nft', 'nsenter', 'openssl']);
if (missing !== undefined) process.stderr.write(`tests of the CNI plugin are left out: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

const elsewhere = '10.99.9.9';
const status = { 'sidecar.istio.io/status': '{}' };

/** A node: an API server that is reached over TLS with a kubeconfig as the agent writes it. */
class Node implements AsyncDisposable {
  readonly folder = new TemporaryFolder({ 'run/.keep': '', 'account/token': 'secret' });
  readonly #certificate = loopbackCertificate();
  api!: FakeApiServer;

  static async start(): Promise<Node> {
    const node = new Node();
    await node.startApi();
    node.folder.write('account/ca.crt', node.#certificate.cert);
    await node.writeKubeconfig();
    return node;
  }

  async startApi(port = 0): Promise<void> {
    this.api = await FakeApiServer.start({ token: 'secret', tls: this.#certificate }, port);
  }

  async writeKubeconfig(): Promise<void> {
    await installKubeconfig({
      file: this.folder.at('run/istio-cni-kubeconfig'),
      mode: 0o600,
      serviceAccountDir: this.folder.at('account'),
      caFile: '',
      skipTlsVerify: false,
      address: { host: '127.0.0.1', port: String(this.api.port), protocol: 'https' },
    });
  }

  config(given: object = {}) {
    return {
      cniVersion: '1.1.0',
      name: 'net',
      type: 'istio-cni',
      cni_agent_run_dir: this.folder.at('run'),
      plugin_log_level: 'debug',
      exclude_namespaces: null,
      pod_namespace: 'istio-system',
      prevResult: { cniVersion: '1.1.0', ips: [{ address: '10.88.0.2/24', interface: 0 }] },
      ...given,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

suite('the built plugin', () => {
  let node: Node;
  beforeAll(async () => {
    buildPlugin();
    node = await Node.start();
    node.api.put(podWithSidecar());
    node.api.put(podWithSidecar({ metadata: { name: 'plain' }, spec: { containers: [{ name: 'web' }] } }));
  });
  afterAll(() => node[Symbol.asyncDispose]());

  test.each([
    ['iptables', {}, ['iptables', '-t', 'nat', '-F']],
    ['nft', { native_nftables: true }, ['nft', 'flush', 'table', 'inet', 'istio-proxy-nat']],
  ])('ADD redirects with %s; again too; CHECK sees it; DEL is content', async (name, given, [program, ...flush]) => {
    using pod = new PodNamespace(name);
    const call = (command: string) => callPlugin({ command, netns: pod.path, config: node.config(given) });
    expect(pod.answerTo(elsewhere)).toBe('nobody');
    expect(await call('CHECK')).toMatchObject({ code: 1, output: { code: 102 } });
    expect(await call('ADD')).toMatchObject({ code: 0, stderr: '', output: node.config().prevResult });
    expect(pod.answerTo(elsewhere)).toBe('proxy');
    expect(await call('ADD')).toMatchObject({ code: 0 });
    expect(await call('CHECK')).toMatchObject({ code: 0, output: undefined });
    pod.output(program!, ...flush);
    expect(await call('CHECK')).toMatchObject({ code: 1, output: { code: 102 } });
    expect(await call('ADD')).toMatchObject({ code: 0 });
    expect(pod.answerTo(elsewhere)).toBe('proxy');
    expect(await call('DEL')).toMatchObject({ code: 0, output: undefined });
  });

  test('TPROXY and IPv6', async () => {
    const annotations = { ...status, 'sidecar.istio.io/interceptionMode': 'TPROXY' };
    node.api.put(podWithSidecar({ metadata: { name: 'tproxy', annotations } }));
    using pod = new PodNamespace('tproxy');
    const prevResult = { cniVersion: '1.1.0', ips: [{ address: 'fd00::2/64' }, { address: '10.88.0.2/24' }] };
    const config = node.config({ prevResult });
    expect(await callPlugin({ command: 'ADD', pod: 'tproxy', netns: pod.path, config })).toMatchObject({ code: 0 });
    expect(pod.output('ip6tables-save', '-t', 'mangle')).toContain('TPROXY');
    expect(pod.output('ip', 'rule')).toContain('lookup 133');
  });

  test('a pod without a sidecar is left alone, and what was said goes to the agent and a file', async () => {
    using pod = new PodNamespace('plain');
    const lines: string[] = [];
    const log = createLogging(undefined, { write: (line) => lines.push(line) }).scope('cni-plugin');
    await using _ = await serveLogs(node.folder.at('run/log.sock'), log);
    const call = { command: 'ADD', pod: 'plain', netns: pod.path, config: node.config() };
    expect(await callPlugin(call)).toMatchObject({ code: 0 });
    expect(pod.output('iptables-save')).not.toContain('ISTIO');
    expect(lines.join('')).toContain('not redirected: it has no container istio-proxy');
    expect(node.folder.read('run/istio-cni.log')).toContain('not redirected: it has no container istio-proxy');
  });

  test('a result of any length is passed through', async () => {
    const prevResult = { cniVersion: '1.1.0', ips: [], dns: { search: Array(100_000).fill('example.com') } };
    const call = { command: 'ADD', pod: 'plain', netns: '/run/netns/none', config: node.config({ prevResult }) };
    expect((await callPlugin(call)).output).toEqual(prevResult);
  });

  test('VERSION, STATUS and GC', async () => {
    const config = { cniVersion: '1.1.0', name: 'net', type: 'istio-cni' };
    const versions = { cniVersion: '1.1.0', supportedVersions: expect.arrayContaining(['0.4.0', '1.0.0', '1.1.0']) };
    expect(await callPlugin({ command: 'VERSION', config })).toMatchObject({ code: 0, output: versions });
    expect(await callPlugin({ command: 'STATUS', config })).toMatchObject({ code: 0, output: undefined });
    const gc = { ...config, 'cni.dev/valid-attachments': [] };
    expect(await callPlugin({ command: 'GC', config: gc })).toMatchObject({ code: 0, output: undefined });
  });

  test('a host needs no library, not even that of C', async () => {
    using host = new TemporaryFolder({ 'proc/.keep': '', 'dev/.keep': '' });
    cpSync(pluginFolder, host.at('opt/cni/bin'), { recursive: true });
    const run = `mount --bind /proc '${host.at('proc')}' && mount --bind /dev '${host.at('dev')}' && exec chroot '${host.path}' /opt/cni/bin/istio-cni`;
    const { stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', run], {
      env: { PATH: process.env.PATH, CNI_COMMAND: 'VERSION' },
      input: '{"cniVersion":"1.0.0"}',
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ cniVersion: '1.0.0' });
  });

  test('errors say what to do', async () => {
    using pod = new PodNamespace('errors');
    const annotations = { ...status, 'traffic.sidecar.istio.io/excludeInboundPorts': '$(id)' };
    node.api.put(podWithSidecar({ metadata: { name: 'bad', annotations } }));
    const call = { command: 'ADD', netns: pod.path, config: node.config() };
    expect((await callPlugin({ ...call, netns: '/run/netns/gone' })).output).toMatchObject({ code: 3 });
    expect((await callPlugin({ ...call, pod: 'bad' })).output).toMatchObject({
      code: 100,
      msg: expect.stringContaining('"$(id)" is not a port'),
    });
    const elsewhereConfig = node.config({ cni_agent_run_dir: node.folder.at('account') });
    expect((await callPlugin({ ...call, config: elsewhereConfig })).output).toMatchObject({
      code: 11,
      msg: expect.stringContaining("is this node's istio-cni-node pod running?"),
    });
    expect((await callPlugin({ ...call, config: { cniVersion: '7' } })).output).toMatchObject({ code: 1 });
  });

  test('20 pods at once', async () => {
    const pods = Array.from({ length: 20 }, (_, index) => new PodNamespace(`many-${index}`));
    try {
      const calls = pods.map(({ path }) => callPlugin({ command: 'ADD', netns: path, config: node.config() }));
      const results = await Promise.all(calls);
      expect(results.map(({ code }) => code)).toEqual(pods.map(() => 0));
      for (const pod of pods) expect(pod.output('iptables-save')).toContain('-A OUTPUT -j ISTIO_OUTPUT');
    } finally {
      for (const pod of pods) pod[Symbol.dispose]();
    }
  });

  test('without the API server there is an error; the next call succeeds when it is back', async () => {
    using pod = new PodNamespace('outage');
    const { port } = node.api;
    await node.api[Symbol.asyncDispose]();
    const call = { command: 'ADD', netns: pod.path, config: node.config() };
    expect(await callPlugin(call)).toMatchObject({
      code: 1,
      output: { code: 11, msg: expect.stringContaining("the pod shop/web-1 can't be read from the API server") },
    });
    expect(pod.output('iptables-save')).not.toContain('ISTIO');

    const waiting = callPlugin(call);
    await node.startApi(port);
    node.api.put(podWithSidecar());
    node.api.token = 'renewed';
    node.folder.write('account/token', 'renewed');
    await node.writeKubeconfig();
    expect(await waiting).toMatchObject({ code: 0 });
    expect(pod.answerTo(elsewhere)).toBe('proxy');
  });
});
