import { expect, test } from '@jest/globals';
import { createLogging } from '../logging/logging.ts';
import { HttpServer, json, parseHostPort, text } from './http-server.ts';

test.each([
  [':8080', { host: undefined, port: 8080 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
  ['8080', undefined],
  ['::1:8080', undefined],
  [':', undefined],
  [':65536', undefined],
])('address %s', (address, expected) => {
  expect(parseHostPort(address)).toEqual(expected);
});

test('serves what is routed, and survives what handlers throw', async () => {
  const lines: string[] = [];
  const log = createLogging(undefined, { write: (line) => lines.push(line) }).scope('default');
  const routes = new Map([
    ['/value', (request: Parameters<typeof json>[1]) => json({ peer: request.peer }, request)],
    ['/teapot', () => text('short and stout', 418)],
    [
      '/broken',
      () => {
        throw new Error('a secret reason');
      },
    ],
  ]);
  await using server = new HttpServer(routes, log);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: response.status, body: await response.text() };
  };
  expect(await get('/value')).toEqual({ status: 200, body: '{"peer":"127.0.0.1"}\n' });
  expect(await get('/value?pretty')).toEqual({ status: 200, body: '{\n  "peer": "127.0.0.1"\n}\n' });
  expect(await get('/value', 'HEAD')).toEqual({ status: 200, body: '' });
  expect(await get('/teapot')).toEqual({ status: 418, body: 'short and stout' });
  expect(await get('/nothing')).toMatchObject({ status: 404 });
  expect(await get('/broken')).toEqual({ status: 500, body: 'internal error\n' });
  expect(lines).toEqual([expect.stringContaining('a secret reason')]);
  const other = new HttpServer(routes, log);
  await expect(other.listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
});
