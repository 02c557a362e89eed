import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../vm/istio-start.sh', import.meta.url));

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'machine-'));
  await mkdir(join(dir, 'var/lib/istio/envoy'), { recursive: true });
  // It tells what it is called with in place of the agent.
  await writeFile(join(dir, 'pilot-agent'), '#!/bin/sh\necho "called: $*"\nif [ "$1" = proxy ]; then env; fi\n');
  await chmod(join(dir, 'pilot-agent'), 0o755);
});
afterEach(() => rm(dir, { recursive: true }));

async function start(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, 'var/lib/istio/envoy', name), text);
  const env = { PATH: process.env['PATH'], ISTIO_BIN_BASE: dir, EXEC_USER: userInfo().username };
  const { stdout } = await run(script, args, { cwd: dir, env });
  const calls = stdout.split('\n').filter((line) => line.startsWith('called: '));
  return { output: stdout, calls: calls.map((line) => line.slice('called: '.length).trim()) };
}

test('traffic is redirected anew, then the agent runs with what the files say', async () => {
  const { output, calls } = await start([], {
    'cluster.env':
      "ISTIO_NAMESPACE='shop'\nISTIO_SERVICE=pay\nISTIO_META_AUTO_REGISTER_GROUP='pay'\nISTIO_PILOT_PORT='15012'\n",
    'sidecar.env': 'ISTIO_AGENT_FLAGS="--log_output_level dns:debug"\nISTIO_SVC_IP=192.0.2.5\nPOD_NAME=pay-1\n',
  });
  expect(calls).toEqual(['istio-iptables --cleanup-only', 'istio-iptables', 'proxy --log_output_level dns:debug']);
  for (const line of [
    'POD_NAMESPACE=shop',
    'POD_NAME=pay-1',
    'INSTANCE_IP=192.0.2.5',
    'ISTIO_META_AUTO_REGISTER_GROUP=pay',
    'CA_ADDR=istiod.istio-system.svc:15012',
    'PROV_CERT=./etc/certs',
    'OUTPUT_CERTS=./etc/certs',
    'PROXY_CONFIG=discoveryAddress: istiod.istio-system.svc:15012',
  ]) {
    expect(output.split('\n')).toContain(line);
  }
});

test('the cluster wins over the machine, and nothing is needed', async () => {
  const { output } = await start(['run'], { 'cluster.env': 'CA_ADDR=ca:1\n', 'sidecar.env': 'CA_ADDR=other:2\n' });
  expect(output).toContain('\nCA_ADDR=ca:1\n');
  expect(output).toContain('PROXY_CONFIG=serviceCluster: rawvm\ncontrolPlaneAuthPolicy: MUTUAL_TLS\n');
  expect(output).toContain('\nPOD_NAMESPACE=default\n');
});

test.each([
  [['run'], ['proxy']],
  [['clean'], ['istio-iptables --cleanup-only']],
  [
    ['init', '-p', '15001'],
    ['istio-iptables -p 15001 --cleanup-only', 'istio-iptables -p 15001'],
  ],
])('%j calls %j', async (args, expected) => {
  expect((await start(args)).calls).toEqual(expected);
});

test('with rules of its own, a machine is left alone', async () => {
  const files = { 'sidecar.env': 'ISTIO_CUSTOM_IP_TABLES=true\n' };
  expect((await start(['init'], files)).calls).toEqual([]);
  expect((await start(['clean'], files)).calls).toEqual([]);
  expect((await start([], files)).calls).toEqual(['proxy']);
});
