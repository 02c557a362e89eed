import { describe, expect, test } from '@jest/globals';
import { fakeEdge } from '../testing/fake-edge.ts';
import { podWithSidecar } from '../testing/pods.ts';
import { commands } from './call.ts';
import { PluginLog } from './plugin-log.ts';
import { runPlugin } from './run-plugin.ts';

const environment = {
  CNI_COMMAND: 'ADD',
  CNI_CONTAINERID: 'abc',
  CNI_NETNS: '/run/netns/pod',
  CNI_IFNAME: 'eth0',
  CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-1;K8S_POD_UID=uid-1',
};
const prevResult = {
  cniVersion: '1.0.0',
  interfaces: [{ name: 'eth0' }],
  ips: [{ address: '10.0.0.7/24', interface: 0 }],
};
const config = {
  cniVersion: '1.0.0',
  name: 'net',
  type: 'istio-cni',
  cni_agent_run_dir: '/run/agent',
  plugin_log_level: 'debug',
  exclude_namespaces: ['kube-system'],
  pod_namespace: 'istio-system',
  prevResult,
};

async function call(
  { env = {}, stdin = {}, text }: { env?: object; stdin?: object; text?: string } = {},
  fake = fakeEdge(podWithSidecar()),
) {
  const log = new PluginLog();
  const input = text ?? JSON.stringify({ ...config, ...stdin });
  const { stdout, code } = await runPlugin({ ...environment, ...env }, input, fake.edge, log);
  const output = stdout === '' ? undefined : (JSON.parse(stdout) as unknown);
  return { output, code, log: log.lines.join('\n'), written: fake.written(), commands: fake.commands };
}

describe('ADD', () => {
  test('redirects and passes the result through', async () => {
    const { output, code, written } = await call();
    expect({ output, code }).toEqual({ output: prevResult, code: 0 });
    expect(written.map(({ program }) => program)).toEqual(['iptables-nft-restore']);
    expect(written[0]!.input).toContain('--to-ports 15006');
  });

  test('without a result of plugins before, the addresses are asked for', async () => {
    const fake = fakeEdge(podWithSidecar());
    const edge = {
      ...fake.edge,
      runIn: () => (command: Parameters<ReturnType<typeof fake.edge.runIn>>[0]) =>
        command.program === 'ip' && command.args.includes('show')
          ? Promise.resolve({ code: 0, stdout: '2: eth0    inet6 fd00::7/64 scope global\n', stderr: '' })
          : fake.edge.runIn('')(command),
    };
    const { output, written } = await call({ stdin: { prevResult: undefined } }, { ...fake, edge });
    expect(output).toEqual({ cniVersion: '1.0.0' });
    expect(written.map(({ program }) => program)).toEqual(['iptables-nft-restore', 'ip6tables-nft-restore']);
  });

  test('again, it changes nothing', async () => {
    const fake = fakeEdge(podWithSidecar());
    await call({}, fake);
    const { code, written } = await call({}, fake);
    expect(code).toBe(0);
    expect(written).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ['no pod', { env: { CNI_ARGS: '' } }, 'it is no pod of Kubernetes'],
    [
      "the agent's pod",
      { env: { CNI_ARGS: 'K8S_POD_NAMESPACE=istio-system;K8S_POD_NAME=istio-cni-node-x' } },
      "it is the agent's own pod",
    ],
    [
      'an excluded namespace',
      { env: { CNI_ARGS: 'K8S_POD_NAMESPACE=kube-system;K8S_POD_NAME=a' } },
      'its namespace is excluded',
    ],
  ])('%s passes without a question to the API server', async (_, input, reason) => {
    const { output, code, log, commands: run } = await call(input, fakeEdge(new Error('asked')));
    expect({ output, code, run }).toEqual({ output: prevResult, code: 0, run: [] });
    expect(log).toContain(reason);
  });

  test('an API server that is back is enough', async () => {
    let attempts = 0;
    const { code } = await call(
      {},
      fakeEdge(() => (++attempts < 3 ? new Error('refused') : podWithSidecar())),
    );
    expect({ code, attempts }).toEqual({ code: 0, attempts: 3 });
  });

  test('a static pod has another id than its mirror', async () => {
    const annotations = { 'sidecar.istio.io/status': '{}', 'kubernetes.io/config.mirror': 'uid-1' };
    const { code } = await call({}, fakeEdge(podWithSidecar({ metadata: { uid: 'mirror', annotations } })));
    expect(code).toBe(0);
  });

  const expired = { wait: () => new Promise<void>((resolve) => setTimeout(resolve, 0)) };
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  test.each<[string, ReturnType<typeof fakeEdge>, number, string]>([
    ['no kubeconfig', fakeEdge(missing, expired), 11, "is this node's istio-cni-node pod running?"],
    [
      'annotations that are wrong',
      fakeEdge(
        podWithSidecar({
          metadata: {
            annotations: {
              'sidecar.istio.io/status': '{}',
              'traffic.sidecar.istio.io/excludeInterfaces': 'eth0; reboot',
            },
          },
        }),
      ),
      100,
      'is not the name of an interface',
    ],
    ['no iptables', fakeEdge(podWithSidecar(), { runIn: () => () => failure(127) }), 101, 'no usable iptables'],
    [
      'no network namespace',
      fakeEdge(podWithSidecar(), { exists: () => Promise.resolve(false) }),
      3,
      'there is no network namespace /run/netns/pod',
    ],
    [
      'a fault',
      fakeEdge(() => {
        throw new TypeError('oops');
      }),
      999,
      'the plugin has a fault',
    ],
  ])('%s is an error', async (_, fake, code, message) => {
    expect((await call({}, fake)).output).toMatchObject({
      cniVersion: '1.0.0',
      code,
      msg: expect.stringContaining(message),
    });
  });
});

const failure = (code: number) => Promise.resolve({ code, stdout: '', stderr: '' });

describe('CHECK', () => {
  const env = { CNI_COMMAND: 'CHECK' };

  test('says nothing if the rules are there', async () => {
    const fake = fakeEdge(podWithSidecar());
    await call({}, fake);
    expect(await call({ env }, fake)).toMatchObject({ output: undefined, code: 0 });
  });

  test('says what is missing', async () => {
    expect(await call({ env })).toMatchObject({ code: 1, output: { code: 102 } });
  });

  test('of a pod without a sidecar expects nothing', async () => {
    const pod = podWithSidecar({ spec: { containers: [{ name: 'web' }] } });
    expect(await call({ env }, fakeEdge(pod))).toMatchObject({ code: 0 });
  });
});

test.each(['DEL', 'GC', 'STATUS'])('%s needs neither the agent nor the API server', async (command) => {
  const result = await call({ env: { CNI_COMMAND: command, CNI_NETNS: '' } }, fakeEdge(new Error('asked')));
  expect(result).toMatchObject({ output: undefined, code: 0, commands: [] });
});

describe('VERSION', () => {
  test.each([
    ['', '1.1.0'],
    ['{"cniVersion": "0.4.0"}', '0.4.0'],
  ])('stdin %j', async (text, cniVersion) => {
    const { output } = await call({ env: { CNI_COMMAND: 'VERSION', CNI_CONTAINERID: '' }, text });
    expect(output).toMatchObject({
      cniVersion,
      supportedVersions: expect.arrayContaining(['0.3.1', '1.0.0', '1.1.0']),
    });
  });
});

describe('calls that are refused', () => {
  test.each<[object, number, string]>([
    [{ env: { CNI_COMMAND: undefined } }, 4, 'the variable CNI_COMMAND is missing'],
    [{ env: { CNI_COMMAND: 'PUT' } }, 4, `CNI_COMMAND "PUT" is none of ${commands.join(', ')}`],
    [{ env: { CNI_CONTAINERID: '' } }, 4, 'ADD needs the variable CNI_CONTAINERID, which is missing'],
    [{ env: { CNI_CONTAINERID: '$(id)' } }, 4, 'CNI_CONTAINERID "$(id)" is not valid'],
    [{ env: { CNI_NETNS: 'relative' } }, 4, 'CNI_NETNS "relative" is not valid'],
    [{ env: { CNI_IFNAME: 'a/b' } }, 4, 'CNI_IFNAME "a/b" is not valid'],
    [{ env: { CNI_IFNAME: 'longer-than-fifteen' } }, 4, 'CNI_IFNAME "longer-than-fifteen" is not valid'],
    [{ env: { CNI_ARGS: 'x' } }, 4, 'CNI_ARGS: "x" is not KEY=VALUE'],
    [{ text: '' }, 6, 'there is no network configuration on stdin'],
    [{ text: '{' }, 6, 'the network configuration on stdin is not JSON'],
    [{ text: '[]' }, 6, 'the network configuration on stdin is not an object'],
    [{ stdin: { cniVersion: '9.0.0' } }, 1, 'version 9.0.0 of the CNI specification is not supported'],
    [{ stdin: { exclude_namespaces: 'a' } }, 7, '"exclude_namespaces" of the configuration is not a list of texts'],
    [{ stdin: { ambient_enabled: true } }, 7, 'ambient mode ("ambient_enabled") is not built yet in this version'],
  ])('%j', async (input, code, msg) => {
    expect(await call(input)).toMatchObject({ code: 1, output: { code, msg }, written: [] });
  });
});

test('older results keep their form', async () => {
  const older = { cniVersion: '0.2.0', ip4: { ip: '10.0.0.7/24' }, ip6: { ip: 'fd00::7/64' } };
  const { output, written } = await call({ stdin: { cniVersion: '0.2.0', prevResult: older } });
  expect(output).toEqual(older);
  expect(written).toHaveLength(1);
});
