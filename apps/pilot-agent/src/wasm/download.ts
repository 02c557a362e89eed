import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { BlockedAddresses } from './blocked-addresses.ts';

export interface DownloadOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether certificates are not verified. */
  readonly insecure: boolean;
  readonly maxBytes: number;
  readonly blocked: BlockedAddresses;
}

export interface Download {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const maxRedirects = 10;

/** GETs a URL; redirects are followed, and another origin isn't told who calls. Rejects where there is no answer. */
export async function download(url: string, options: DownloadOptions): Promise<Download> {
  let current = new URL(url);
  let { headers = {} } = options;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await get(current, { ...options, headers });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    const next = new URL(location, current);
    if (!/^https?:$/.test(next.protocol)) throw new Error(`${url} is redirected to ${next.protocol}`);
    if (current.protocol === 'https:' && next.protocol === 'http:')
      throw new Error(`${url} is redirected to plain text`);
    if (next.origin !== current.origin) {
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
    }
    current = next;
  }
  throw new Error(`${url} is redirected more than ${maxRedirects} times`);
}

async function get(url: URL, { headers, signal, insecure, maxBytes, blocked }: DownloadOptions): Promise<Download> {
  blocked.check(url.hostname.replace(/^\[|\]$/g, ''));
  const { promise, resolve, reject } = Promise.withResolvers<Download>();
  const call = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    headers: { 'user-agent': 'pilot-agent', ...headers },
    agent: false,
    lookup: blocked.lookup,
    rejectUnauthorized: !insecure,
    signal,
  });
  call.on('error', (error) => reject(signal.aborted ? new Error(`no answer of ${url.host} in time`) : error));
  call.on('response', (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) response.destroy(new Error(`it is larger than ${maxBytes} bytes`));
      else chunks.push(chunk);
    });
    response.on('error', reject);
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
  });
  call.end();
  return promise;
}
