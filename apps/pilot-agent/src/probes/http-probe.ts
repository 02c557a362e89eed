import { request as httpRequest, type OutgoingHttpHeaders, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';

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
export async function probeHttp({ timeoutMs, from, ...probe }: HttpProbe): Promise<HttpProbeResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  const host = probe.host.includes(':') ? `[${probe.host}]` : probe.host;
  // Not relative to the host, as a path that begins with two slashes would name another one.
  const path = probe.path.startsWith('/') ? probe.path : `/${probe.path}`;
  let url = parse(`${probe.scheme}://${host}:${probe.port}${path}`);
  let { headers } = probe;
  try {
    for (let redirects = 0; redirects < maxRedirects; redirects++) {
      const { location, ...result } = await get(url, {
        headers,
        signal,
        ...(from !== undefined && { localAddress: from }),
      });
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

async function get(
  url: URL,
  options: Pick<RequestOptions, 'headers' | 'signal' | 'localAddress'>,
): Promise<HttpProbeResult & { readonly location?: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpProbeResult & { readonly location?: string }>();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const call = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    host,
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    agent: false,
    rejectUnauthorized: false,
    ...options,
  });
  call.on('error', reject);
  call.on('response', (response) => {
    const { statusCode: status = 0, headers: answered } = response;
    const isRedirect = status >= 300 && status < 400 && answered.location !== undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (): void => {
      const body = Buffer.concat(chunks).subarray(0, maxBodyBytes).toString();
      resolve({ status, body, ...(isRedirect && { location: answered.location }) });
      call.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxBodyBytes) finish();
    });
    response.on('error', reject);
    response.on('end', finish);
  });
  call.end();
  return promise;
}

const withoutHost = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'));
