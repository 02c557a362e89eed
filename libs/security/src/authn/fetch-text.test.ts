import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testAuthority } from '../testing/authorities.ts';
import { textFetcher } from './fetch-text.ts';

const moved: Readonly<Record<string, string>> = {
  '/moved': '/keys',
  '/round': '/round',
  '/metadata': 'http://169.254.169.254/latest',
  '/file': 'file:///etc/passwd',
};

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/keys') response.end('text');
    else if (request.url === '/long') response.end('x'.repeat(100));
    else if (request.url === '/silent') return;
    else {
      const to = moved[request.url ?? ''];
      response.writeHead(to === undefined ? 500 : 302, to === undefined ? {} : { location: to }).end();
    }
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

  test('comes from where it has moved', async () => {
    expect(await textFetcher()(`${base}/moved`)).toBe('text');
  });

  test.each([
    ['in time', { timeoutMs: 50 }],
    ['before nobody wants it any more', { signal: AbortSignal.timeout(50) }],
  ])('does not come %s', async (_, options) => {
    await expect(textFetcher()(`${base}/silent`, options)).rejects.toThrow('aborted');
  });

  test.each([
    ['/none', {}, 'status 500'],
    ['/round', {}, 'redirects too often'],
    ['/metadata', {}, 'the address 169.254.169.254 is blocked'],
    ['/file', {}, 'only http and https'],
    ['/long', { maximumLength: 99 }, 'too long'],
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

describe('a text fetched over TLS', () => {
  let secure: Server;
  let url: string;
  let roots: string;
  beforeAll(async () => {
    const authority = await testAuthority();
    roots = authority.roots;
    const { key, chain } = await authority.issueKey(['localhost'], 60_000);
    secure = createTlsServer({ key, cert: chain }, ({ url: path }, response) => {
      if (path === '/moved') response.writeHead(302, { location: `${base}/keys` }).end();
      else response.end('text');
    });
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    url = `https://localhost:${(secure.address() as AddressInfo).port}`;
  });
  afterAll(() => secure.close().closeAllConnections());

  test('comes from who proves its name by a root that is trusted', async () => {
    await expect(textFetcher()(url)).rejects.toThrow(/certificate/);
    expect(await textFetcher({ extraRoots: roots })(url)).toBe('text');
    expect(await textFetcher({ insecure: true })(url)).toBe('text');
  });

  test('does not come in plain text instead', async () => {
    const moved = textFetcher({ extraRoots: roots })(`${url}/moved`);
    await expect(moved).rejects.toThrow('localhost redirects from https to http');
  });
});
