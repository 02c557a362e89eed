import type { KubeConfig } from '@kubernetes/client-node';
import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';

export type Method = 'GET' | 'POST' | 'PUT';

export interface Request {
  readonly method: Method;
  readonly path: string;
  /** JSON. */
  readonly body?: string;
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
  return async ({ method, path, body }) => {
    const options: RequestOptions = {
      method,
      headers: { accept: 'application/json', ...(body === undefined ? {} : jsonHeaders(body)) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    await config.applyToHTTPSOptions(options);
    const url = new URL(`${server.replace(/\/$/, '')}${path}`);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const request = url.protocol === 'http:' ? requestHttp : requestHttps;
    const call = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    call.on('error', reject).end(body);
    return promise;
  };
}

const jsonHeaders = (body: string) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
});
