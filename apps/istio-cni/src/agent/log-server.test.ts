import { expect, test } from '@jest/globals';
import { request } from 'node:http';
import { createLogging } from '@kedge/observability';
import { PluginLog } from '../plugin/plugin-log.ts';
import { TemporaryFolder } from '../testing/temporary-folder.ts';
import { serveLogs } from './log-server.ts';

async function start(folder: TemporaryFolder) {
  const lines: string[] = [];
  const log = createLogging(undefined, { write: (line) => lines.push(line) }).scope('cni-plugin');
  const server = await serveLogs(folder.at('run/log.sock'), log);
  return { lines, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const post = (socketPath: string, path: string, body: string) =>
  new Promise<number>((resolve, reject) => {
    const call = request({ socketPath, path, method: 'POST', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    call.on('error', reject).end(body);
  });

test('the agent prints what plugins log, and a file keeps it', async () => {
  using folder = new TemporaryFolder();
  await using agent = await start(folder);
  const log = new PluginLog();
  const logger = log.logger({ pod: 'shop/web-1' });
  logger.debug('hidden');
  logger.warn('something');
  await log.flush(folder.at('run'));
  expect(agent.lines.join('')).toMatch(/warn\tcni-plugin\tsomething.*pod=shop\/web-1/);
  expect(folder.read('run/istio-cni.log')).toMatch(/^\{"pod":"shop\/web-1","level":"warn".*"msg":"something"\}\n$/);
});

test('a log without an agent goes to the file; without a folder nowhere', async () => {
  using folder = new TemporaryFolder({ 'run/.keep': '' });
  const log = new PluginLog();
  log.logger().info('alone');
  await log.flush(folder.at('run'));
  await log.flush(folder.at('missing'));
  expect(folder.read('run/istio-cni.log')).toContain('alone');
});

test('a long file is put aside', async () => {
  using folder = new TemporaryFolder({ 'run/istio-cni.log': 'x'.repeat(10 * 1024 * 1024 + 1) });
  const log = new PluginLog();
  log.logger().info('new');
  await log.flush(folder.at('run'));
  expect(folder.list('run')).toEqual(['istio-cni.log', 'istio-cni.log.1']);
});

test('what is no log is no problem', async () => {
  using folder = new TemporaryFolder();
  await using agent = await start(folder);
  const socket = folder.at('run/log.sock');
  expect(await post(socket, '/log', '{')).toBe(200);
  expect(await post(socket, '/log', '["{", 7, "null", "{\\"msg\\": 1}"]')).toBe(200);
  expect(await post(socket, '/else', '[]')).toBe(404);
  await expect(post(socket, '/log', 'x'.repeat(2 * 1024 * 1024)).catch(() => 413)).resolves.toBe(413);
  expect(agent.lines).toEqual([]);
});
