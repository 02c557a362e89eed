import { credentials, status as codes } from '@grpc/grpc-js';
import { describe, expect, jest, test } from '@jest/globals';
import { connect } from 'node:tls';
import type { ServiceMethods } from './service.ts';
import { bytes, failure, startServer, testdata, text, until } from './test-support.ts';
import type { TlsCredentials, TlsOptions } from './tls.ts';

jest.setTimeout(30_000);

const ca = testdata('ca.pem');
const server1: TlsCredentials = { key: testdata('server-1.key'), cert: testdata('server-1.pem'), ca };
const server2: TlsCredentials = { key: testdata('server-2.key'), cert: testdata('server-2.pem'), ca };

const methods: ServiceMethods = {
  Who: {
    kind: 'unary',
    handle: (_, { peer }) => bytes(`${peer.tls} ${peer.certificate?.subjectAltName}`),
  },
  Echo: { kind: 'bidi', handle: (stream) => stream.receive((message) => void stream.write(Buffer.from(message))) },
};

function channel(client?: 'client' | 'stranger') {
  const [key, cert] = client ? [testdata(`${client}.key`), testdata(`${client}.pem`)] : [];
  return credentials.createSsl(Buffer.from(ca), key ? Buffer.from(key) : null, cert ? Buffer.from(cert) : null);
}

const tls = (clientCertificate: TlsOptions['clientCertificate']) => ({
  tls: { credentials: server1, clientCertificate },
});

describe('client certificates', () => {
  const identity = 'true URI:spiffe://cluster.local/ns/default/sa/client';
  test.each([
    ['none', undefined, 'true undefined'],
    ['none', 'stranger', 'true undefined'],
    ['optional', undefined, 'true undefined'],
    ['optional', 'client', identity],
    ['optional', 'stranger', 'refused'],
    ['required', undefined, 'refused'],
    ['required', 'client', identity],
    ['required', 'stranger', 'refused'],
  ] as const)('%s, presented: %s: %s', async (mode, presented, expected) => {
    const failures: Error[] = [];
    const observer = { handshakeFailed: (_: string, error: Error) => failures.push(error) };
    await using server = await startServer(methods, { observer }, tls(mode));
    const call = server
      .connect({}, channel(presented))
      .unary('Who', bytes(''), undefined, { deadline: Date.now() + 2000 });
    if (expected === 'refused') {
      expect((await failure(call)).code).toBe(codes.UNAVAILABLE);
      expect(failures.length).toBeGreaterThan(0);
    } else {
      expect(text(await call)).toBe(expected);
      expect(failures).toEqual([]);
    }
  });
});

/** The common name of the certificate that a new client is shown. */
async function shownCertificate(port: number): Promise<string | string[] | undefined> {
  const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return name;
}

test('the certificate is replaced while calls go on', async () => {
  await using server = await startServer(methods, {}, tls('optional'));
  const stream = server.connect({}, channel('client')).bidi('Echo').send(bytes('before'));
  await stream.count(1);
  expect(await shownCertificate(server.listener.port)).toBe('server 1');

  server.listener.setCredentials(server2);
  expect(await shownCertificate(server.listener.port)).toBe('server 2');
  await stream.send(bytes('after')).count(2);
  expect(text(await server.connect({}, channel('client')).unary('Who', bytes('')))).toContain('sa/client');
});

test('replaced roots hold for new clients at once', async () => {
  await using server = await startServer(methods, {}, tls('required'));
  const stream = server.connect({}, channel('client')).bidi('Echo').send(bytes('x'));
  await stream.count(1);
  server.listener.setCredentials({ ...server1, ca: testdata('server-2.pem') });
  const call = server
    .connect({}, channel('client'))
    .unary('Who', bytes(''), undefined, { deadline: Date.now() + 1000 });
  expect((await failure(call)).code).toBe(codes.UNAVAILABLE);
  await stream.send(bytes('y')).count(2);
});

test('sessions are not resumed', async () => {
  await using server = await startServer(methods, {}, tls('optional'));
  const sessions: Buffer[] = [];
  const open = async (session?: Buffer): Promise<boolean> => {
    const socket = connect({ port: server.listener.port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'], session });
    socket.on('session', (ticket) => sessions.push(ticket));
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const reused = socket.isSessionReused();
    socket.destroy();
    return reused;
  };
  await open();
  expect(await open(sessions.at(-1))).toBe(false);
});

test('clients that speak no TLS or no HTTP/2 are refused and told to the observer', async () => {
  const failures: string[] = [];
  const observer = { handshakeFailed: (address: string) => failures.push(address) };
  await using server = await startServer(methods, { observer }, tls('none'));
  const plain = server.connect().unary('Who', bytes(''), undefined, { deadline: Date.now() + 1000 });
  expect((await failure(plain)).code).toBe(codes.UNAVAILABLE);
  await until(() => failures.length > 0);
  const http1 = connect({ port: server.listener.port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  await new Promise((resolve) => http1.once('error', resolve));
  await until(() => failures.length > 1);
});

test('invalid credentials are an error of the caller, and leave the listener as it was', async () => {
  await expect(startServer({}, {}, { tls: { credentials: { key: 'x', cert: 'y' } } })).rejects.toThrow();
  await using server = await startServer(methods, {}, tls('none'));
  expect(() => server.listener.setCredentials({ key: 'x', cert: 'y' })).toThrow();
  expect(await shownCertificate(server.listener.port)).toBe('server 1');
  await using plain = await startServer(methods);
  expect(() => plain.listener.setCredentials(server1)).toThrow('without TLS');
});
