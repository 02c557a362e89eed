import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createProgram, runProgram } from '@kedge/cli';
import { ControlPlaneProcess, getText } from '@kedge/testbed';
import { AdsClient } from '../testing/ads-client.ts';
import { addDiscoveryCommand } from './discovery.ts';

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const output: string[] = [];
  const program = createProgram({ name: 'pilot-discovery', description: '' });
  addDiscoveryCommand(program, {});
  const write = (text: string): void => void output.push(text);
  program.configureOutput({ writeOut: write, writeErr: write });
  for (const command of program.commands) command.configureOutput({ writeOut: write, writeErr: write });
  const code = await runProgram(program, ['discovery', '--log_output_level', 'none', ...args], write);
  return { code, output: output.join('') };
}

test.each([
  [[], 'reading configuration from Kubernetes is not built yet'],
  [['--grpcAddr', 'nonsense'], 'must be HOST:PORT or :PORT'],
  [['--httpAddr', ':70000'], 'must be HOST:PORT or :PORT'],
  [['--keepaliveInterval', 'soon'], 'must be a duration'],
  [['--frobnicate'], "unknown option '--frobnicate'"],
  [['--configDir', '/nonexistent/folder'], '/nonexistent/folder'],
])('%j is refused', async (args, message) => {
  expect(await run(...args)).toEqual({ code: 1, output: expect.stringContaining(message) });
});

test('the help shows the flags that have an effect', async () => {
  const { code, output } = await run('--help');
  expect(code).toBe(0);
  for (const flag of [
    '--configDir',
    '--meshConfig',
    '--networksConfig',
    '--grpcAddr',
    '--secureGRPCAddr',
    '--httpAddr',
    '--monitoringAddr',
  ]) {
    expect(output).toContain(flag);
  }
  expect(output).not.toContain('--httpsAddr');
  // Defaults stand as one would write them.
  expect(output).toContain('(default: :8080)');
  expect(output).not.toMatch(/default: [{[]/);
});

test('as a process: free ports, ready, metrics; ends at once when told to, clients or not', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'discovery-'));
  await using server = await ControlPlaneProcess.start({
    configDir: dir,
    dir,
    flags: ['--httpsAddr', ':15017', '--networksConfig', join(dir, 'absent/networks')],
    environment: { PILOT_DEBOUNCE_AFTER: 'soon' },
  });
  const { grpc, http, monitoring } = server.ports;
  expect(new Set([grpc, http, monitoring]).size).toBe(3);
  const output = (): string => server.child.tail().join('\n');
  expect(output()).toContain('--httpsAddr has no effect yet');
  expect(output()).toContain('the defaults hold as there is no folder to watch for it');
  expect(output()).toContain('PILOT_DEBOUNCE_AFTER');

  using client = new AdsClient(grpc, 'delta', { id: 'sidecar~10.0.0.9~web.shop~shop.svc.cluster.local' });
  await client.subscribe('type.googleapis.com/envoy.config.cluster.v3.Cluster');
  expect(await getText(`http://127.0.0.1:${http}/ready`)).toBe('');
  const metrics = await getText(`http://127.0.0.1:${monitoring}/metrics`);
  for (const name of [
    'istio_build',
    'istiod_uptime_seconds',
    'pilot_info',
    'pilot_services',
    'pilot_virt_services',
    'pilot_xds{',
    'pilot_xds_pushes',
    'pilot_xds_push_time_bucket',
    'pilot_xds_send_time_bucket',
    'pilot_xds_config_size_bytes_bucket',
    'pilot_proxy_convergence_time',
    'pilot_proxy_queue_time',
    'pilot_debounce_time',
    'pilot_pushcontext_init_seconds',
    'process_cpu_seconds_total',
  ]) {
    expect(metrics).toContain(`\n${name}`);
  }

  const main = join(import.meta.dirname, '../main.ts');
  const ask = (path: string) =>
    promisify(execFile)(process.execPath, [main, 'request', 'GET', path, '--port', `${monitoring}`]);
  expect(JSON.parse((await ask('/debug/adsz')).stdout)).toMatchObject({ totalClients: 1 });
  await expect(ask('/debug/nothing')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('404') });

  const from = performance.now();
  await server.child.stop();
  // A tenth of a second; the rest is for a busy machine.
  expect(performance.now() - from).toBeLessThan(2000);
  expect(await server.child.ended).toBe('ended with code 0');
  await expect(ask('/debug/adsz')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Error: no answer from http:.*\/debug\/adsz: .*ECONNREFUSED/),
  });
  await rm(dir, { recursive: true });
}, 30_000);
