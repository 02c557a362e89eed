import { expect, test } from '@jest/globals';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createLogging, createMetricRegistry } from '@kedge/observability';
import { until } from '@kedge/testbed';
import { TemporaryFolder } from '../testing/temporary-folder.ts';
import { Binaries } from './binaries.ts';
import { Installer, type InstallerOptions, type InstallerTimes } from './installer.ts';
import { registerMetrics } from './metrics.ts';

const list = (...plugins: readonly object[]) => JSON.stringify({ cniVersion: '1.0.0', name: 'net', plugins });
const bridge = { type: 'bridge' };
const entry = { type: 'istio-cni', name: 'istio-cni' };

/** A node as files, and an installer that works on it until it is disposed of. */
function startInstaller(files: Readonly<Record<string, string | undefined>>, times: Partial<InstallerTimes> = {}) {
  const folder = new TemporaryFolder({
    'image/istio-cni': 'version 1',
    'bin/other': 'other',
    'account/token': 'token-1\n',
    'account/ca.crt': 'CA',
    'net/.keep': '',
    'run/.keep': '',
    ...files,
  });
  const lines: string[] = [];
  const registry = createMetricRegistry();
  const options: InstallerOptions = {
    binaries: new Binaries(folder.at('image'), folder.at('bin')),
    kubeconfig: {
      file: folder.at('run/istio-cni-kubeconfig'),
      mode: 0o600,
      serviceAccountDir: folder.at('account'),
      caFile: '',
      skipTlsVerify: false,
      address: { host: '10.96.0.1', port: '443', protocol: '' },
    },
    networkConfig: { folder: folder.at('net'), chained: true, confName: '', mode: 0o600 },
    entry,
    watched: [folder.at('net'), folder.at('bin'), folder.at('account'), folder.at('run')],
    metrics: registerMetrics(registry),
    log: createLogging(undefined, { write: (line) => lines.push(line) }).scope('cni-agent'),
    times: { settle: 1, retry: 20, recheck: 60_000, dispute: 1, ...times },
  };
  const installer = new Installer(options);
  const ended = new AbortController();
  const running = installer.run(ended.signal);
  return {
    folder,
    installer,
    log: () => lines.join(''),
    metrics: () => registry.text(),
    config: () => folder.read('net/10-net.conflist'),
    stop: async () => {
      ended.abort();
      await running;
    },
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await running;
      folder[Symbol.dispose]();
    },
  };
}

const withNetwork = { 'net/10-net.conflist': list(bridge) };

test('installs everything, and then is ready', async () => {
  await using node = startInstaller(withNetwork);
  await until('readiness', () => node.installer.isReady);
  expect(node.folder.read('bin/istio-cni')).toBe('version 1');
  expect(statSync(node.folder.at('bin/istio-cni')).mode & 0o777).toBe(0o755);
  expect(JSON.parse(node.config())).toMatchObject({ plugins: [bridge, entry] });
  const kubeconfig = node.folder.read('run/istio-cni-kubeconfig');
  expect(statSync(node.folder.at('run/istio-cni-kubeconfig')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(kubeconfig)).toMatchObject({
    clusters: [{ cluster: { server: 'https://10.96.0.1:443', 'certificate-authority-data': 'Q0E=' } }],
    users: [{ user: { token: 'token-1' } }],
  });
  expect(await node.metrics()).toContain('istio_cni_install_ready 1');
  expect(await node.metrics()).toContain('istio_cni_installs_total{result="SUCCESS"} 1');
  expect(node.log()).not.toContain('token-1');
});

test('waits for a network, and mends what others do', async () => {
  await using node = startInstaller({});
  await until('the wait for a network', () => node.log().includes('waiting: there is no CNI config file yet'));
  expect(node.installer.isReady).toBe(false);

  node.folder.write('net/10-net.conflist', list(bridge));
  await until('readiness', () => node.installer.isReady);

  node.folder.write('net/10-net.conflist', list(bridge, { type: 'portmap' }));
  await until('the entry', () => node.config().includes('istio-cni'));

  rmSync(node.folder.at('bin/istio-cni'));
  await until('the plugin', () => node.folder.list('bin').includes('istio-cni'));

  node.folder.write('bin/istio-cni', 'another one');
  await until('the right plugin', () => node.folder.read('bin/istio-cni') === 'version 1');

  node.folder.write('account/token', 'token-2\n');
  await until('the new token', () => node.folder.read('run/istio-cni-kubeconfig').includes('token-2'));

  rmSync(node.folder.at('run/istio-cni-kubeconfig'));
  await until('the kubeconfig', () => node.folder.list('run').includes('istio-cni-kubeconfig'));
});

test('what the plugin starts is there before it; folders of other versions go', async () => {
  const [older, newer] = ['istio-cni-runtime-0123456789ab', 'istio-cni-runtime-ba9876543210'];
  await using node = startInstaller({
    ...withNetwork,
    [`image/${newer}/program`]: 'program 2',
    [`image/${newer}/library`]: 'library 2',
    [`bin/${older}/program`]: 'program 1',
    [`bin/${newer}/program`]: 'half a pro',
    [`bin/${newer}/.program.7.istio-cni-tmp`]: 'half',
    'bin/istio-cni-runtime-of-others/file': 'other',
  });
  await until('readiness', () => node.installer.isReady);
  expect(node.folder.list('bin')).toEqual(['istio-cni', newer, 'istio-cni-runtime-of-others', 'other']);
  expect(node.folder.list(`bin/${newer}`)).toEqual(['library', 'program']);
  expect(node.folder.read(`bin/${newer}/program`)).toBe('program 2');
  expect(node.log()).toMatch(/installed .*program, istio-cni$/m);

  await node.stop();
  await node.installer.cleanUp();
  expect(node.folder.list('bin')).toEqual(['istio-cni-runtime-of-others', 'other']);
});

test('a plugin that is overwritten while it is being installed is mended', async () => {
  using folder = new TemporaryFolder({ 'image/istio-cni': 'version 1', 'bin/other': '' });
  const binaries = new Binaries(folder.at('image'), folder.at('bin'));
  const installing = binaries.install();
  while (!existsSync(folder.at('bin/istio-cni'))) await nextTurn();
  folder.write('bin/istio-cni', 'version 2', 0o755);
  await installing;
  expect(await binaries.install()).toEqual(['istio-cni']);
  expect(await binaries.install()).toEqual([]);
  expect(folder.read('bin/istio-cni')).toBe('version 1');
});

test('says that another program undoes its work', async () => {
  await using node = startInstaller(withNetwork);
  for (let round = 0; round < 8; round++) {
    await until('the entry', () => node.config().includes('istio-cni'));
    node.folder.write('net/10-net.conflist', list(bridge));
  }
  await until('the warning', () => node.log().includes('another program undoes the installation again and again'));
});

test('a failure is told and tried again', async () => {
  await using node = startInstaller({ ...withNetwork, 'account/ca.crt': undefined });
  await until('the failure', () => node.log().includes('writing the kubeconfig failed'));
  expect(node.installer.isReady).toBe(false);
  expect(await node.metrics()).toContain('istio_cni_installs_total{result="CREATE_KUBECONFIG_FAILURE"}');
  node.folder.write('account/ca.crt', 'CA');
  await until('readiness', () => node.installer.isReady);
});

test('what is written in vain is not taken for a change by others', async () => {
  await using node = startInstaller({ ...withNetwork, 'run/istio-cni-kubeconfig/folder': '' }, { retry: 60_000 });
  const failures = () => node.log().split('writing the kubeconfig failed').length - 1;
  await until('the failure', () => failures() > 0);
  await sleep(100);
  expect(failures()).toBe(1);
});

test('the plugin stays where its entry does', async () => {
  await using node = startInstaller(withNetwork);
  await until('readiness', () => node.installer.isReady);
  await node.stop();
  // Where the changed configuration would be written before it takes its place.
  mkdirSync(node.folder.at(`net/.10-net.conflist.${process.pid}.istio-cni-tmp`));
  await node.installer.cleanUp();
  expect(node.log()).toContain('could not remove the entry in the CNI configuration');
  expect(node.folder.list('bin')).toEqual(['istio-cni', 'other']);
  expect(node.folder.list('run')).toEqual(['.keep', 'istio-cni-kubeconfig']);
});

test('takes away what it brought', async () => {
  await using node = startInstaller(withNetwork);
  await until('readiness', () => node.installer.isReady);
  await node.stop();
  await node.installer.cleanUp();
  expect(node.installer.isReady).toBe(false);
  expect(JSON.parse(node.config())).toMatchObject({ plugins: [bridge] });
  expect(node.folder.list('run')).toEqual(['.keep']);
  expect(node.folder.list('bin')).toEqual(['other']);
});
