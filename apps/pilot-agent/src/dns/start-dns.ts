import { isIPv6 } from 'node:net';
import type { Logging, MetricRegistry } from '@kedge/observability';
import type { AgentEnvironment } from '../environment.ts';
import { readIfThere } from '../pod-info.ts';
import { DnsServer, type ListenAddress } from './dns-server.ts';
import { registerDnsMetrics } from './metrics.ts';
import { parseResolvConf, type ResolverConfig } from './resolv-conf.ts';
import { Upstream } from './upstream.ts';

export interface DnsSettings {
  readonly environment: AgentEnvironment;
  /** The DNS domain of the proxy: that of its cluster, its own namespace before it or not. */
  readonly domain: string;
  readonly isRoot: boolean;
}

const defaultAddress = 'localhost:15053';
const resolvConf = '/etc/resolv.conf';
/** Where a host keeps what its `resolv.conf` was before it named the agent. */
const originalResolvConf = '/var/lib/istio/resolv.conf';
const namePort = 53;

/** Starts the DNS server, and rejects where it can't. */
export async function startDns(
  settings: DnsSettings,
  { registry, logging }: { readonly registry: MetricRegistry; readonly logging: Logging },
): Promise<DnsServer> {
  const { environment, isRoot } = settings;
  const log = logging.scope('dns');
  // On the well-known port nothing redirects: the host itself asks the agent, for the way to the control plane, too.
  const wantsNamePort = environment.dnsAddress.endsWith(`:${namePort}`);
  if (wantsNamePort && !isRoot) log.error(`DNS_PROXY_ADDR ${environment.dnsAddress} needs root; the default is used`);
  const replacesResolver = wantsNamePort && isRoot;
  const address = wantsNamePort && !isRoot ? defaultAddress : environment.dnsAddress;
  const original = replacesResolver ? await readIfThere(originalResolvConf) : undefined;
  const text = original ?? (await readIfThere(resolvConf));
  if (text === undefined) throw new Error(`DNS: there is no ${resolvConf}`);
  const config = parseResolvConf(text);
  const server = new DnsServer({
    scope: {
      namespace: environment.podNamespace,
      domain: clusterDomain(settings),
      ...(config.search[0] && { search: config.search[0] }),
    },
    upstream: new Upstream({
      servers: config.servers.map((one) => ({ address: one, port: namePort })),
      parallel: environment.dnsForwardParallel,
      timeoutMs: environment.dnsForwardTimeout,
      log,
    }),
    answerBeforeTable: replacesResolver,
    metrics: registerDnsMetrics(registry),
    log,
  });
  try {
    for (const one of listenAddresses(address, config)) {
      await server.listen(one);
      log.info(`DNS on ${one.host} port ${one.port}, others from ${config.servers.join(', ') || 'nobody'}`);
    }
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw new Error(`DNS on ${address}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The part of the domain that all namespaces of the cluster have in common. */
function clusterDomain({ environment, domain }: DnsSettings): string {
  const own = `${environment.podNamespace}.`;
  return domain.startsWith(own) ? domain.slice(own.length) : domain;
}

/**
 * `localhost` is the loopback address of each family that the host has name servers of, as those are the families in which
 * requests are redirected.
 */
export function listenAddresses(address: string, { servers }: ResolverConfig): readonly ListenAddress[] {
  const [, bracketed, plain = '', portText] = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(address) ?? [];
  const port = Number(portText);
  if (!(port >= 0 && port <= 65_535)) throw new Error('it is not of the form host:port');
  const host = bracketed ?? plain;
  if (host !== 'localhost') return [{ host: host || '::', port }];
  const v6 = servers.some((server) => isIPv6(server));
  const v4 = !v6 || servers.some((server) => !isIPv6(server));
  return [...(v4 ? [{ host: '127.0.0.1', port }] : []), ...(v6 ? [{ host: '::1', port }] : [])];
}
