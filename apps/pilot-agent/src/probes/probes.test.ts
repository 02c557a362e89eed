import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer, createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GrpcServer, Health, healthServiceName } from '@kedge/grpc-server';
import { testCertificates } from '@kedge/testbed';
import { probeExec } from './exec-probe.ts';
import { probeGrpc } from './grpc-probe.ts';
import { type HttpProbe, probeHttp } from './http-probe.ts';
import { sourceAddress } from './source-address.ts';
import { probeTcp } from './tcp-probe.ts';

let owned: AsyncDisposableStack;
beforeEach(() => {
  owned = new AsyncDisposableStack();
});
afterEach(() => owned.disposeAsync());

const host = '127.0.0.1';

async function serve(handle: RequestListener, tls = false): Promise<number> {
  const { certificate: cert, key } = testCertificates.edge;
  const server = tls ? createHttpsServer({ cert, key }, handle) : createServer(handle);
  owned.defer(() => void server.close().closeAllConnections());
  await once(server.listen(0, host), 'listening');
  return (server.address() as AddressInfo).port;
}

const http = (port: number, more: Partial<HttpProbe> = {}) =>
  probeHttp({
    scheme: 'http',
    host,
    port,
    path: '/',
    headers: {},
    from: sourceAddress(host),
    timeoutMs: 2000,
    ...more,
  });

describe('HTTP', () => {
  test('path, headers and host are passed on, from the address that is not redirected', async () => {
    const port = await serve(({ url, headers, socket }, response) => {
      response.statusCode = 418;
      response.end([url, headers.host, headers['x-a'], socket.remoteAddress].join(' '));
    });
    const result = await http(port, { path: '/a?b=c', headers: { host: 'web.shop', 'x-a': '1' } });
    expect(result).toEqual({ status: 418, body: '/a?b=c web.shop 1 127.0.0.6' });
  });

  test.each([
    ['//elsewhere.example/a', '//elsewhere.example/a'],
    ['well?x', '/well?x'],
  ])('the path %s is one of the workload', async (path, seen) => {
    const port = await serve(({ url }, response) => response.end(url));
    expect((await http(port, { path })).body).toBe(seen);
  });

  test('certificates are not verified', async () => {
    const port = await serve((_, response) => response.end('well'), true);
    expect(await http(port, { scheme: 'https' })).toEqual({ status: 200, body: 'well' });
  });

  test('HTTP/2 is spoken where it is offered over TLS, unless it is not to be', async () => {
    const { certificate: cert, key } = testCertificates.edge;
    const server = createSecureServer({ cert, key, allowHTTP1: true }, ({ httpVersion, headers, url }, response) => {
      const authority = headers[':authority'] ?? headers.host;
      if (url === '/moved') response.writeHead(302, { location: '/here' }).end();
      else response.end(`${httpVersion} ${authority} ${String(headers['x-a'])} ${url} ${'x'.repeat(20_000)}`);
    });
    owned.defer(() => void server.close());
    await once(server.listen(0, host), 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { host: 'web.shop', connection: 'close', 'x-a': '1' };
    const probe = { scheme: 'https', path: '/moved', headers } as const;
    const { status, body } = await http(port, { ...probe, http2: true });
    expect([status, body.slice(0, 24), body.length]).toEqual([200, '2.0 web.shop 1 /here xxx', 10 * 1024]);
    expect((await http(port, probe)).body).toMatch(/^1.1 web.shop 1/);
  });

  test.each([
    ['hangs', () => undefined, '200 ms'],
    ['ends its stream without an answer', (stream: ServerHttp2Stream) => stream.close(), 'without an answer'],
    ['goes away', (stream: ServerHttp2Stream) => stream.session!.destroy(), 'without an answer'],
  ])('a server of HTTP/2 that %s is not well', async (_, handle, problem) => {
    const { certificate: cert, key } = testCertificates.edge;
    const server = createSecureServer({ cert, key }).on('stream', handle);
    owned.defer(() => void server.close());
    await once(server.listen(0, host), 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(http(port, { scheme: 'https', timeoutMs: 200, http2: true })).rejects.toThrow(problem);
  });

  test.each([
    ['/end', 200],
    ['http://elsewhere.example/', 302],
    ['/', undefined],
  ])('a redirect to %s gives %s', async (location, status) => {
    const port = await serve(({ url }, response) => {
      response.writeHead(url === '/end' ? 200 : 302, url === '/end' ? {} : { location }).end();
    });
    if (status === undefined) await expect(http(port)).rejects.toThrow('10 redirects');
    else expect((await http(port)).status).toBe(status);
  });

  test('a long body is cut', async () => {
    const port = await serve((_, response) => {
      response.write('x'.repeat(20_000));
      setTimeout(() => response.end(), 60_000).unref();
    });
    expect((await http(port)).body).toHaveLength(10 * 1024);
  });

  test('it takes no longer than it may', async () => {
    const port = await serve((_, response) => response.flushHeaders());
    await expect(http(port, { timeoutMs: 50 })).rejects.toThrow('50 ms');
  });
});

test('TCP: whether it can be connected to', async () => {
  const server = createTcpServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await probeTcp({ host, port, from: sourceAddress(host), timeoutMs: 1000 });
  server.close();
  await once(server, 'close');
  await expect(probeTcp({ host, port, from: sourceAddress(host), timeoutMs: 1000 })).rejects.toThrow('ECONNREFUSED');
});

describe('gRPC', () => {
  const probe = (port: number, service = '') =>
    probeGrpc({ host, port, service, from: sourceAddress(host), timeoutMs: 500 });

  test('it asks for the service', async () => {
    const health = new Health();
    const server = new GrpcServer().addService(healthServiceName, health.methods);
    owned.defer(() => server.shutdown());
    const { port } = await server.listen({ host, port: 0 });
    health.set('', 'SERVING');
    health.set('pay', 'NOT_SERVING');
    await probe(port);
    await expect(probe(port, 'pay')).rejects.toThrow('it is NOT_SERVING');
    await expect(probe(port, 'nobody')).rejects.toThrow('NOT_FOUND');
  });

  test('other servers are not well', async () => {
    const plain = new GrpcServer();
    owned.defer(() => plain.shutdown());
    const { port } = await plain.listen({ host, port: 0 });
    await expect(probe(port)).rejects.toThrow('UNIMPLEMENTED');
    await expect(probe(await serve((_, response) => response.end()))).rejects.toThrow();
    const silent = createTcpServer().listen(0, host);
    await once(silent, 'listening');
    owned.defer(() => void silent.close());
    await expect(probe((silent.address() as AddressInfo).port)).rejects.toThrow('500 ms');
    await expect(probe(1)).rejects.toThrow('ECONNREFUSED');
    const endless = createHttp2Server().on('stream', (stream: ServerHttp2Stream) => {
      const more = (): void => void (stream.destroyed || stream.write(Buffer.alloc(64 * 1024), more));
      stream.on('error', () => undefined);
      stream.respond();
      more();
    });
    owned.defer(() => void endless.close());
    await once(endless.listen(0, host), 'listening');
    await expect(probe((endless.address() as AddressInfo).port)).rejects.toThrow('the answer is too long');
  });
});

test('commands', async () => {
  await probeExec([process.execPath, '-e', ''], 5000);
  await probeExec(
    [process.execPath, '-e', 'process.stdout.write("x".repeat(3e6)); console.error("x".repeat(3e6))'],
    5000,
  );
  const complaining = [process.execPath, '-e', 'console.error("not yet"); process.exitCode = 3'];
  await expect(probeExec(complaining, 5000)).rejects.toThrow('the command fails with 3: not yet');
  await expect(probeExec(['/does/not/exist'], 5000)).rejects.toThrow('ENOENT');
  await expect(probeExec([process.execPath, '-e', 'setInterval(() => {}, 1000)'], 200)).rejects.toThrow('200 ms');
});
