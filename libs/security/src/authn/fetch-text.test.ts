import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textFetcher } from './fetch-text.ts';

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/keys') response.end('text');
    else if (request.url === '/long') response.end('x'.repeat(100));
    else if (request.url === '/silent') return;
    else response.writeHead(request.url === '/moved' ? 302 : 500, { location: '/keys' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a text fetched', () => {
  test('comes', async () => {
    expect(await textFetcher()(`${base}/keys`)).toBe('text');
  });

  test.each([
    ['/none', {}, 'status 500'],
    ['/moved', {}, 'status 302'],
    ['/long', { maximumLength: 99 }, 'too long'],
    ['/silent', { timeoutMs: 50 }, 'aborted'],
    ['/keys', { blocked: ['127.0.0.0/8', '::1/128'] }, 'the address of localhost is blocked'],
  ])('%s %j does not: %s', async (path, options, problem) => {
    await expect(textFetcher(options)(base + path)).rejects.toThrow(problem);
  });

  test.each([
    ['http://169.254.169.254/latest', 'the address 169.254.169.254 is blocked'],
    ['http://[fd00:ec2::254]/latest', 'the address fd00:ec2::254 is blocked'],
    ['file:///etc/passwd', 'only http and https'],
    ['nothing', 'Invalid URL'],
  ])('%s does not: %s', async (url, problem) => {
    await expect(textFetcher()(url)).rejects.toThrow(problem);
  });
});
