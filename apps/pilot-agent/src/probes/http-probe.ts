import { once } from 'node:events';
import { type OutgoingHttpHeaders, request, type RequestOptions } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';

export interface HttpProbe {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** The address to call from; absent: any. */
  readonly from?: string;
  /** For all of it, redirects and body included. */
  readonly timeoutMs: number;
  /** Whether HTTP/2 may be spoken over TLS, as the kubelet does. */
  readonly http2?: boolean;
}

export interface HttpProbeResult {
  readonly status: number;
  /** The beginning of the body. */
  readonly body: string;
}

const maxRedirects = 10;
const maxBodyBytes = 10 * 1024;

/**
 * Asks a workload as the kubelet would: certificates are not verified, redirects are followed on the same host, and one to
 * another host is the result.
 * @throws Error where there is no answer in time, or there are too many redirects.
 */
export async function probeHttp({ timeoutMs, from, http2 = false, ...probe }: HttpProbe): Promise<HttpProbeResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  const host = probe.host.includes(':') ? `[${probe.host}]` : probe.host;
  // Not relative to the host, as a path that begins with two slashes would name another one.
  const path = probe.path.startsWith('/') ? probe.path : `/${probe.path}`;
  let url = parse(`${probe.scheme}://${host}:${probe.port}${path}`);
  let { headers } = probe;
  try {
    for (let redirects = 0; redirects < maxRedirects; redirects++) {
      const options = { headers, signal, ...(from !== undefined && { localAddress: from }) };
      const { location, ...result } = await get(url, options, http2);
      if (location === undefined) return result;
      const next = parse(location, url.href);
      if (next.hostname !== url.hostname) return result;
      if (!location.startsWith('/')) headers = withoutHost(headers);
      url = next;
    }
  } catch (error) {
    throw signal.aborted ? new Error(`no answer within ${timeoutMs} ms`) : error;
  }
  throw new Error(`stopped after ${maxRedirects} redirects`);
}

function parse(reference: string, base?: string): URL {
  const url = URL.parse(reference, base);
  if (!url) throw new Error(`"${reference}" is no URL`);
  return url;
}

type GetOptions = Pick<RequestOptions, 'headers' | 'signal' | 'localAddress'>;

/** What a connection answered; the location is there for a redirect. */
type Got = HttpProbeResult & { readonly location?: string };

/** Over TLS by HTTP/2 where the workload offers it. */
async function get(url: URL, options: GetOptions, http2: boolean): Promise<Got> {
  if (url.protocol !== 'https:') return getHttp1(url, options);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const socket = connectTls({
    host,
    port: Number(url.port || 443),
    rejectUnauthorized: false,
    ALPNProtocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    ...(options.localAddress !== undefined && { localAddress: options.localAddress }),
  });
  try {
    await once(socket, 'secureConnect', { ...(options.signal && { signal: options.signal }) });
    return await (socket.alpnProtocol === 'h2' ? getHttp2(url, options, socket) : getHttp1(url, options, socket));
  } finally {
    socket.destroy();
  }
}

async function getHttp1(url: URL, options: GetOptions, connection?: TLSSocket): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const call = request({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || 80,
    path: `${url.pathname}${url.search}`,
    ...(connection ? { createConnection: () => connection } : { agent: false }),
    ...options,
  });
  call.on('error', reject);
  call.on('response', (response) => {
    const { statusCode = 0, headers } = response;
    beginningOf(response).then((body) => {
      resolve(gotten(statusCode, headers.location, body));
      call.destroy();
    }, reject);
  });
  call.end();
  return promise;
}

/** Headers that HTTP/2 has no place for. */
const ofHttp1 = new Set(['host', 'connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade']);

async function getHttp2(url: URL, { headers = {}, signal }: GetOptions, connection: TLSSocket): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const session = connectHttp2(url, { createConnection: () => connection });
  session.on('error', reject);
  const given = Object.entries(headers).filter(([name]) => !ofHttp1.has(name.toLowerCase()));
  const authority = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1] ?? url.host;
  const stream = session.request(
    { ...Object.fromEntries(given), ':path': `${url.pathname}${url.search}`, ':authority': String(authority) },
    { ...(signal && { signal }) },
  );
  stream.on('error', reject);
  let isAnswered = false;
  stream.on('close', () => {
    if (!isAnswered) reject(new Error('the connection was closed without an answer'));
  });
  stream.on('response', ({ ':status': status = 0, location }) => {
    isAnswered = true;
    beginningOf(stream).then((body) => resolve(gotten(status, location, body)), reject);
  });
  try {
    return await promise;
  } finally {
    session.destroy();
  }
}

function gotten(status: number, location: string | undefined, body: string): Got {
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  return { status, body, ...(isRedirect && { location }) };
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBodyBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBodyBytes).toString();
}

const withoutHost = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'));
