import { expect, test } from '@jest/globals';
import { runNode } from './run-tier.ts';

const run = (script: string, limit = 20_000) => runNode(['-e', script], '/', limit);

test('gives the exit code', async () => {
  expect(await run('process.exit(3)')).toEqual({ exitCode: 3, leftovers: false });
  expect(await run('process.kill(process.pid, "SIGKILL")')).toEqual({ exitCode: 1, leftovers: false });
});

test('ends what takes too long, with its children', async () => {
  const script = "require('node:child_process').spawn('sleep', ['60']); setInterval(() => {}, 1000)";
  expect(await run(script, 500)).toEqual({ exitCode: null, leftovers: false });
});

test('ends and reports what a command leaves behind', async () => {
  const script = "require('node:child_process').spawn('sleep', ['60'], { stdio: 'ignore' }).unref()";
  expect(await run(script)).toEqual({ exitCode: 0, leftovers: true });
});
