import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, getText, until } from '@kedge/testbed';
import { buildPlugin, callPlugin, pluginFile, pluginFolder } from './testing/built-plugin.ts';
import { FakeApiServer } from './testing/fake-api-server.ts';
import { missingForRoot, PodNamespace } from './testing/pod-namespace.ts';
import { podWithSidecar } from './testing/pods.ts';
import { TemporaryFolder } from './testing/temporary-folder.ts';
import { loopbackCertificate } from './testing/tls.ts';

const missing = missingForRoot(['ip', 'iptables-nft', 'nsenter', 'openssl']);
if (missing !== undefined) process.stderr.write(`tests of the CNI node agent are left out: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

const network = JSON.stringify({ cniVersion: '1.0.0', name: 'net', plugins: [{ type: 'bridge' }] });
const elsewhere = '10.99.9.9';

/** A node and its agent, a process that is started and ended at will. */
class Node implements AsyncDisposable {
  readonly folder = new TemporaryFolder({
    'net/10-net.conflist': network,
    'bin/bridge': 'bridge',
    'account/token': 'secret',
    'run/.keep': '',
    'image/.keep': '',
  });
  readonly ports: readonly number[];
  readonly api: FakeApiServer;
  #agent: { readonly child: ChildProcess; readonly ended: Promise<number | null> } | undefined;
  #output = '';

  private constructor(api: FakeApiServer, ports: readonly number[], authority: string) {
    this.api = api;
    this.ports = ports;
    this.folder.write('account/ca.crt', authority);
    cpSync(pluginFolder, this.folder.at('image'), { recursive: true });
  }

  static async start(): Promise<Node> {
    const certificate = loopbackCertificate();
    const api = await FakeApiServer.start({ token: 'secret', tls: certificate });
    return new Node(api, await freePorts(2), certificate.cert);
  }

  startAgent(environment: Readonly<Record<string, string>> = {}): void {
    this.#output = '';
    const agent = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: {
        PATH: process.env.PATH,
        MOUNTED_CNI_NET_DIR: this.folder.at('net'),
        CNI_AGENT_RUN_DIR: this.folder.at('run'),
        CNI_BIN_SOURCE_DIR: this.folder.at('image'),
        CNI_BIN_TARGET_DIR: this.folder.at('bin'),
        SERVICE_ACCOUNT_DIR: this.folder.at('account'),
        HOST_PROC_DIR: '/proc',
        READINESS_PORT: String(this.ports[0]),
        MONITORING_PORT: String(this.ports[1]),
        POD_NAMESPACE: 'istio-system',
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: String(this.api.port),
        ...environment,
      },
    });
    for (const stream of [agent.stdout, agent.stderr]) stream.on('data', (data) => (this.#output += String(data)));
    this.#agent = { child: agent, ended: new Promise((resolve) => agent.once('close', resolve)) };
  }

  async stopAgent(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#agent?.child.kill(signal);
    return (await this.#agent?.ended) ?? null;
  }

  get log(): string {
    return this.#output;
  }

  isReady(): Promise<boolean> {
    return getText(`http://127.0.0.1:${this.ports[0]}/readyz`).then(() => true);
  }

  /** The types of the plugins that a runtime would call. */
  plugins(): readonly string[] {
    const config = JSON.parse(this.folder.read('net/10-net.conflist')) as {
      readonly plugins: readonly { type: string }[];
    };
    return config.plugins.map(({ type }) => type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopAgent('SIGKILL');
    await this.api[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

suite('the node agent', () => {
  let runtimeFolder: string;
  beforeAll(() => {
    buildPlugin();
    runtimeFolder = readdirSync(pluginFolder).find((name) => name.includes('runtime'))!;
  });

  test('installs, mends what others do, tells, and takes everything away', async () => {
    await using node = await Node.start();
    node.startAgent();
    await until('readiness', () => node.isReady());
    expect(node.plugins()).toEqual(['bridge', 'istio-cni']);

    // Another plugin's agent writes its configuration anew.
    const start = performance.now();
    node.folder.write('net/10-net.conflist', network);
    await until('the entry', () => node.plugins().includes('istio-cni'));
    expect(performance.now() - start).toBeLessThan(5_000);

    // What it installed works, with the entry that it wrote, and logs to it.
    node.api.put(podWithSidecar());
    using pod = new PodNamespace('agent');
    const entry = (JSON.parse(node.folder.read('net/10-net.conflist')) as { plugins: readonly object[] }).plugins[1];
    const prevResult = { cniVersion: '1.0.0', ips: [{ address: '10.88.0.2/24' }] };
    const config = { ...entry, cniVersion: '1.0.0', prevResult };
    const file = node.folder.at('bin/istio-cni');
    expect(await callPlugin({ command: 'ADD', netns: pod.path, config, file })).toMatchObject({ code: 0 });
    expect(pod.answerTo(elsewhere)).toBe('proxy');
    await until('the log', () => /cni-plugin\t.*rules written.*pod=shop\/web-1/.test(node.log));

    node.folder.write('account/token', 'renewed');
    await until('the new token', () => node.folder.read('run/istio-cni-kubeconfig').includes('renewed'));

    const metrics = await getText(`http://127.0.0.1:${node.ports[1]}/metrics`);
    expect(metrics).toContain('istio_cni_install_ready 1');
    expect(metrics).toMatch(/istio_build\{component="cni"/);

    expect(await node.stopAgent('SIGTERM')).toBe(0);
    expect(node.plugins()).toEqual(['bridge']);
    expect(node.folder.list('bin')).toEqual(['bridge']);
    expect(node.folder.list('run')).not.toContain('istio-cni-kubeconfig');
  });

  test('killed at any moment, it leaves no half file, and the next one goes on', async () => {
    await using node = await Node.start();
    const older = 'an older one';
    const launcher = readFileSync(pluginFile);
    const runtime = `bin/${runtimeFolder}`;
    let interrupted = 0;
    for (let round = 0; round < 8; round++) {
      node.startAgent();
      const isCopying = () =>
        existsSync(node.folder.at(runtime)) && node.folder.list(runtime).some((name) => name.endsWith('-tmp'));
      await until('the copy', () => isCopying() || node.log.includes('installed'));
      await sleep(round * 10);
      await node.stopAgent('SIGKILL');
      interrupted += isCopying() ? 1 : 0;
      if (round > 0) {
        // The older one as a whole, or the new one, which works.
        const isNew = launcher.equals(readFileSync(node.folder.at('bin/istio-cni')));
        if (isNew) {
          const call = { command: 'VERSION', config: { cniVersion: '1.1.0' }, file: node.folder.at('bin/istio-cni') };
          expect(await callPlugin(call)).toMatchObject({ code: 0 });
        } else expect(node.folder.read('bin/istio-cni')).toBe(older);
      }
      expect(node.plugins()[0]).toBe('bridge');
      // So that the next round has something to write.
      node.folder.write('net/10-net.conflist', network);
      node.folder.write('bin/istio-cni', older, 0o755);
      rmSync(node.folder.at(runtime), { recursive: true, force: true });
    }
    expect(interrupted).toBeGreaterThan(0);
    node.startAgent();
    await until('readiness', () => node.isReady());
    expect(node.folder.list('bin')).toEqual(['bridge', 'istio-cni', runtimeFolder]);
    expect(node.folder.list(runtime)).toEqual(readdirSync(join(pluginFolder, runtimeFolder)).sort());
    expect(node.folder.list('net')).toEqual(['10-net.conflist']);
    expect(node.plugins()).toEqual(['bridge', 'istio-cni']);
  });

  test('a pod that started without redirection gets it', async () => {
    await using node = await Node.start();
    using pod = new PodNamespace('repair', '10.88.7.9');
    pod.start('sleep', '60');
    const terminated = { exitCode: 126 };
    node.api.put(
      podWithSidecar({
        status: {
          podIP: '10.88.7.9',
          initContainerStatuses: [{ name: 'istio-validation', lastState: { terminated } }],
        },
      }),
    );
    expect(pod.answerTo(elsewhere)).toBe('nobody');
    node.startAgent({ REPAIR_REPAIR_PODS: 'true', REPAIR_NODE_NAME: 'node-1' });
    await until('the repair', () => node.log.includes("the pod's traffic was not redirected, and now is"));
    expect(pod.answerTo(elsewhere)).toBe('proxy');
    const lists = node.api.received.filter(({ path }) => path === '/api/v1/pods');
    expect(lists[0]!.query).toMatchObject({ fieldSelector: 'spec.nodeName=node-1' });
    expect(await node.stopAgent('SIGTERM')).toBe(0);
  });

  test.each([
    [{ AMBIENT_ENABLED: 'true' }, 'ambient mode (AMBIENT_ENABLED) is not built yet'],
    [{ CNI_CONF_NAME: '../x' }, 'CNI_CONF_NAME: "../x" is not the name of a file'],
  ])('%j is refused', async (environment, message) => {
    await using node = await Node.start();
    node.startAgent(environment);
    await until('the end', () => node.log.includes(message));
  });
});
