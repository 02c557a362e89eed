import type { ReadinessProbe } from '@kedge/model';
import { probeExec } from '../probes/exec-probe.ts';
import { probeGrpc } from '../probes/grpc-probe.ts';
import { probeHttp } from '../probes/http-probe.ts';
import { sourceAddress } from '../probes/source-address.ts';
import { probeTcp } from '../probes/tcp-probe.ts';

/** Resolves if the workload is well, and else rejects with the reason. */
export type Probe = () => Promise<void>;

const userAgent = 'istio-probe/1.0';

/**
 * What the readiness probe of a ProxyConfig does; `workload` is where the application is unless it says otherwise.
 * @throws Error for a probe that does nothing.
 */
export function readinessProbe(
  { timeoutSeconds, httpGet, tcpSocket, exec, grpc }: ReadinessProbe,
  workload: string,
): Probe {
  const timeoutMs = (timeoutSeconds || 1) * 1000;
  // Only connections to the workload itself can come from the address that isn't redirected.
  const place = (host: string | undefined) => (host ? { host } : { host: workload, from: sourceAddress(workload) });
  if (httpGet) {
    const { path, port, host, scheme, httpHeaders = [] } = httpGet;
    const given = Object.fromEntries(httpHeaders.map(({ name = '', value = '' }) => [name.toLowerCase(), value]));
    const probe = {
      ...place(host),
      scheme: scheme?.toLowerCase() === 'https' ? 'https' : 'http',
      port,
      path: path || '/',
      headers: { 'user-agent': userAgent, ...given },
      timeoutMs,
    } as const;
    return async () => {
      const { status } = await probeHttp(probe);
      if (status < 200 || status >= 400) throw new Error(`the status is ${status}`);
    };
  }
  if (tcpSocket) return () => probeTcp({ ...place(tcpSocket.host), port: tcpSocket.port, timeoutMs });
  if (exec) return () => probeExec(exec.command, timeoutMs);
  if (grpc) {
    const { port = 0, service = '' } = grpc;
    return () => probeGrpc({ ...place(undefined), port, service, userAgent, timeoutMs });
  }
  throw new Error('readinessProbe: one of httpGet, tcpSocket, exec, grpc is needed');
}
