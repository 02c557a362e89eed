import { expect, test } from '@jest/globals';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { restartDelay, restartPolicy } from './back-off.ts';
import { Supervisor } from './supervisor.ts';

const backOff = { initialMs: 1, maxMs: 4, maxAttempts: 3, resetAfterMs: 60_000 };

function supervise(script: string, command = process.execPath) {
  let restarts = 0;
  const supervisor = new Supervisor({
    command,
    args: ['-e', script],
    environment: {},
    backOff,
    log: collectingLogger().log,
    onRestart: () => restarts++,
  });
  return { supervisor, restarts: () => restarts };
}

test.each([
  ['a process that fails is started again, until it failed too often', 'process.exit(3)', 'Envoy exited with code 3'],
  ['so is one that is killed', 'process.kill(process.pid, "SIGKILL")', 'Envoy was ended by SIGKILL'],
])('%s', async (_, script, reason) => {
  using run = supervise(script).supervisor;
  expect(await run.outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining(reason) as unknown });
});

test('restarts are told', async () => {
  const { supervisor, restarts } = supervise('process.exit(1)');
  await supervisor.outcome;
  expect(restarts()).toBe(backOff.maxAttempts);
});

test('success is an end', async () => {
  using run = supervise('').supervisor;
  expect(await run.outcome).toEqual({ kind: 'exited' });
});

test('a command that is not there is a failure', async () => {
  using run = supervise('', '/does/not/exist').supervisor;
  expect(await run.outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('ENOENT') as unknown });
});

test('stop ends the process, by force if it must', async () => {
  const { supervisor, restarts } = supervise('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)');
  await supervisor.stop(300);
  expect(await supervisor.outcome).toEqual({ kind: 'stopped' });
  expect(supervisor.isRunning).toBe(false);
  expect(restarts()).toBe(0);
});

test('delays double up to a limit and end', () => {
  expect([1, 2, 3, 9, 10, 11].map((attempt) => restartDelay(restartPolicy, attempt))).toEqual([
    200,
    400,
    800,
    51_200,
    60_000,
    undefined,
  ]);
});
