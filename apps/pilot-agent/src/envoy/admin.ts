import { send } from '../http-client.ts';

/** Envoy's admin interface. Every call rejects if it is not reached or does not answer with 200. */
export interface EnvoyAdmin {
  readonly host: string;
  readonly port: number;
}

/** Statistics whose name matches the regex and that were written at least once. */
export async function usedStats(
  admin: EnvoyAdmin,
  filter: string,
  timeoutMs = 3000,
): Promise<ReadonlyMap<string, number>> {
  const body = await call(admin, 'GET', `/stats?usedonly&filter=${encodeURIComponent(filter)}`, timeoutMs);
  const lines = body.split('\n').map((line) => /^(.+): (\d+)$/.exec(line.trimEnd()));
  return new Map(lines.flatMap((match) => (match ? [[match[1]!, Number(match[2])] as const] : [])));
}

/** Statistics in Prometheus' text format. */
export async function prometheusStats(admin: EnvoyAdmin, query: string, timeoutMs: number): Promise<string> {
  return call(admin, 'GET', `/stats/prometheus${query}`, timeoutMs);
}

export interface DrainOptions {
  /** Only listeners of inbound traffic: what the workload itself calls goes on until it ends. */
  readonly inboundOnly: boolean;
  /** Listeners stay open when drained, for a shutdown whose end comes later. */
  readonly skipExit: boolean;
}

/** Tells clients to go away: HTTP/1 by `connection: close`, HTTP/2 by GOAWAY. */
export async function drainListeners(admin: EnvoyAdmin, { inboundOnly, skipExit }: DrainOptions): Promise<void> {
  const flags = [...(inboundOnly ? ['inboundonly'] : []), 'graceful', ...(skipExit ? ['skip_exit'] : [])];
  await call(admin, 'POST', `/drain_listeners?${flags.join('&')}`, 5000);
}

async function call({ host, port }: EnvoyAdmin, method: string, path: string, timeoutMs: number): Promise<string> {
  const { status, body } = await send({ method, host, port, path, timeoutMs });
  if (status !== 200) throw new Error(`Envoy's admin interface answered ${path} with ${status}: ${body.trim()}`);
  return body;
}
