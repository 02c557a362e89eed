import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { testCertificates } from '@kedge/testbed';
import type { Echoed } from './echo/http-echo.ts';

export interface Place {
  readonly address: string;
  readonly port: number;
}

export interface HttpRequest {
  readonly host: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The request as it arrived; absent where a proxy answered by itself. */
  readonly echoed: Echoed | undefined;
  /** How long the answer took, in milliseconds. */
  readonly ms: number;
}

const TIMEOUT_MS = 10_000;

/** Sends a request over a connection of its own. */
export function sendHttp(to: Place, { host, path = '/', method = 'GET', headers }: HttpRequest): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const start = performance.now();
  const options = {
    ...{ host: to.address, port: to.port, path, method, agent: false, timeout: TIMEOUT_MS },
    headers: { ...headers, host },
  };
  const sent = request(options, (response) => {
    const chunks: Buffer[] = [];
    response.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const echoed = response.headers['content-type'] === 'application/json' ? (JSON.parse(text) as Echoed) : undefined;
      const ms = performance.now() - start;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, echoed, ms });
    });
  });
  sent.on('timeout', () => sent.destroy(new Error('no answer in time'))).on('error', reject);
  sent.end();
  return promise;
}

/** Connects and gives what the server says until it ends the connection. */
export function readTcp({ address, port }: Place): Promise<string> {
  return readAll(connect({ host: address, port, timeout: TIMEOUT_MS }));
}

/** The same by TLS, for the name. */
export function readTls({ address, port }: Place, servername: string): Promise<string> {
  return readAll(connectTls({ host: address, port, servername, ca: testCertificates.authority, timeout: TIMEOUT_MS }));
}

function readAll(socket: ReturnType<typeof connect>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('timeout', () => socket.destroy(new Error('no end in time'))).on('error', reject);
  socket.on('end', () => resolve(Buffer.concat(chunks).toString())).on('close', () => reject(new Error('closed')));
  return promise;
}
