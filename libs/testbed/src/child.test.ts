import { expect, test } from '@jest/globals';
import { Child } from './child.ts';
import { descendantsOf, isAlive } from './processes.ts';
import { until } from './until.ts';

const node = (name: string, script: string): Child => new Child({ name, command: [process.execPath, '-e', script] });

test('what a process started ends with it, also where it ignores the signal', async () => {
  const stubborn = `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`;
  await using child = node(
    'parent',
    `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: 'inherit' });
     setInterval(() => {}, 1000)`,
  );
  await until('the grandchild', () => child.tail().includes('up'));
  const [grandchild] = descendantsOf(child.pid);
  expect(isAlive(grandchild!)).toBe(true);
  await child.stop();
  expect(await child.ended).toBe('ended by SIGTERM');
  expect(isAlive(grandchild!)).toBe(false);
});

test('an end that nobody asked for is an error with the last lines', async () => {
  const child = node('crasher', `console.error('no more'); process.exitCode = 3`);
  await expect(child.unexpectedEnd()).rejects.toThrow('crasher ended with code 3:\nno more');
  expect(child.hasEnded).toBe(true);
  await child.stop();
});

test('a program that is not there', async () => {
  const child = new Child({ name: 'nothing', command: ['/nonexistent/program'] });
  await expect(child.unexpectedEnd()).rejects.toThrow('nothing spawn /nonexistent/program ENOENT');
  await child.stop();
});
