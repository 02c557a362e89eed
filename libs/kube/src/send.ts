import type { KubeConfig } from '@kubernetes/client-node';
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';

export type Method = 'GET' | 'POST' | 'PUT';

export interface Request {
  readonly method: Method;
  /** With its query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  /** Ends the call, and so what is read of it; after half a minute where it is absent. */
  readonly signal?: AbortSignal;
  /** Gets each line of an answer of success as it comes; its body is empty then. */
  readonly onLine?: (line: string) => void;
}

export interface Response {
  readonly status: number;
  readonly body: string;
}

/** Sends a request to the API server. Rejects where it can't be reached, or doesn't answer in time. */
export type Send = (request: Request) => Promise<Response>;

const TIMEOUT_MS = 30_000;

/** Sends requests to the current cluster of a configuration, with what proves who we are: its tokens and certificates rotate. */
export function senderTo(config: KubeConfig): Send {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('the configuration of Kubernetes names no cluster');
  return async ({ method, path, body, signal = AbortSignal.timeout(TIMEOUT_MS), onLine }) => {
    const options: RequestOptions = {
      method,
      headers: { accept: 'application/json', ...(body === undefined ? {} : jsonHeaders(body)) },
      signal,
    };
    await config.applyToHTTPSOptions(options);
    const url = new URL(`${server.replace(/\/$/, '')}${path}`);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = url.protocol === 'http:' ? requestHttp : requestHttps;
    request(url, options, resolve).on('error', reject).end(body);
    const response = await promise;
    const status = response.statusCode ?? 0;
    if (onLine && status === 200) {
      await readLines(response, onLine);
      return { status, body: '' };
    }
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status, body: Buffer.concat(chunks).toString() };
  };
}

async function readLines(response: IncomingMessage, onLine: (line: string) => void): Promise<void> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  }
}

const jsonHeaders = (body: string) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
});
