import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProgram, runProgram } from '@kedge/cli';
import { addRequestCommand } from './request.ts';
import { addWaitCommand } from './wait.ts';

/** A proxy that gets ready at the second question. */
let asked = 0;
const proxy = createServer((request, response) => {
  response.writeHead(request.url === '/never' || ++asked < 2 ? 503 : 200).end();
});
beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => proxy.close(resolve)));

async function run(...args: readonly string[]) {
  const program = createProgram({ name: 'pilot-agent', description: '' });
  addWaitCommand(program);
  addRequestCommand(program);
  const errors: string[] = [];
  const code = await runProgram(program, args, (text) => errors.push(text));
  return { code, error: errors.join('') };
}
const url = (path: string) => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`;

test('wait asks until the proxy is ready', async () => {
  expect(await run('wait', '--periodMillis', '10', '--url', url('/ready'))).toEqual({ code: 0, error: '' });
  expect(asked).toBe(2);
});

test('wait gives up after its time', async () => {
  const { code, error } = await run('wait', '--timeoutSeconds', '0', '--periodMillis', '10', '--url', url('/never'));
  expect(code).toBe(1);
  expect(error).toContain('not ready after 0 s: it answered with 503');
});

test('request goes to ports of the proxy only', async () => {
  const { code, error } = await run('request', 'GET', '/', '--debug-port', '22');
  expect(code).toBe(1);
  expect(error).toContain('debug port 22 is not one of 15000, 15004, 15020, 15021');
});
