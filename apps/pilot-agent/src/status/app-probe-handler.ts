import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@kedge/observability';
import { probeGrpc } from '../probes/grpc-probe.ts';
import { probeHttp } from '../probes/http-probe.ts';
import { sourceAddress } from '../probes/source-address.ts';
import { probeTcp } from '../probes/tcp-probe.ts';
import type { AppProber } from './app-probers.ts';
import { answer, type Handler } from './http-answer.ts';

export interface AppProbeOptions {
  readonly probers: ReadonlyMap<string, AppProber>;
  /** Where the application is: the address of the pod, as for the kubelet. */
  readonly host: string;
  /** Whether HTTP/2 is spoken over TLS where the application offers it. */
  readonly http2: boolean;
  /** The port that the kubelet calls, which is another one for the application. */
  readonly statusPort: number;
  readonly log: Logger;
}

type Target = Pick<AppProbeOptions, 'host' | 'http2' | 'statusPort'>;

/** Of the connection between kubelet and agent, not of the one to the application. */
const ofTheConnection: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Probes the application for the kubelet, which could not reach it where only mutual TLS is let in. The answer is the
 * application's for HTTP, and else 200 or 500.
 */
export function appProbeHandler({ probers, log, ...target }: AppProbeOptions): Handler {
  return async (request, response, { pathname }) => {
    const prober = probers.get(pathname);
    if (!prober) {
      answer(response, 400, `there is no probe ${pathname}\n`);
      return;
    }
    try {
      await probe(prober, target, request, response);
    } catch (error) {
      log.error(`the probe ${pathname} failed`, { error });
      answer(response, 500, '');
    }
  };
}

async function probe(
  { httpGet, tcpSocket, grpc, timeoutMs }: AppProber,
  { host, http2, statusPort }: Target,
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const common = { host, from: sourceAddress(host), timeoutMs };
  if (httpGet) {
    const result = await probeHttp({
      ...common,
      ...httpGet,
      http2,
      headers: forwarded(headers, statusPort, httpGet.port),
    });
    // A redirect without its location would be none; the kubelet takes it for a success.
    const isRedirect = result.status >= 300 && result.status < 400;
    answer(response, isRedirect ? 200 : result.status, isRedirect ? '' : result.body);
    return;
  }
  if (tcpSocket) await probeTcp({ ...common, ...tcpSocket });
  else if (grpc) {
    const userAgent = headers['user-agent'];
    await probeGrpc({ ...common, ...grpc, ...(userAgent && { userAgent }) });
  }
  answer(response, 200, '');
}

/** The kubelet's headers, of which the host names the application's port instead of the agent's. */
function forwarded(headers: IncomingHttpHeaders, statusPort: number, appPort: number): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !ofTheConnection.has(name));
  const [, name, port] = /^(.*):(\d+)$/.exec(headers.host ?? '') ?? [];
  return { ...Object.fromEntries(kept), ...(Number(port) === statusPort && { host: `${name}:${appPort}` }) };
}
