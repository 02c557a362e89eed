import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { ConsistentHashLB, Destination, Features, Hostname, HTTPRetry, Labels } from '@kedge/model';
import {
  alike,
  destinationRule,
  features,
  isOfNamespace,
  meshConfig,
  proxyMatches,
  scopeServicesOfHost,
} from '@kedge/pushcontext';
import { outboundClusterName } from '../clusters/cluster-name.ts';
import { forwardsHost } from '../proxy-headers.ts';
import { consistentHashOf } from './hash-policy.ts';
import type { SessionPolicy } from './session-policy.ts';

/** The listener and proxy that routes are made for, as far as routes ask. */
export interface RouteContext {
  /** Names of the gateways that the listener stands for: `mesh`, or `namespace/name`. */
  readonly gateways: ReadonlySet<string>;
  /** The port that clients address; 0 where they address any (HTTP proxies and Unix sockets). */
  readonly port: number;
  readonly tls: boolean;
  /** Clients are told that the port serves HTTP/3 too. */
  readonly advertisesHttp3: boolean;
  readonly features: Features;
  readonly defaultRetries: HTTPRetry | undefined;
  isFrom(labels: Labels): boolean;
  isFromNamespace(namespace: string): boolean;
  clusterOf(destination: Destination): string;
  hashOf(destination: Destination): ConsistentHashLB | undefined;
  sessionOf(host: Hostname): SessionPolicy | undefined;
  /** Whether a request that is rewritten keeps its first host in `x-forwarded-host`. */
  forwardsHost(): boolean;
}

/** What a listener knows of destinations. */
export interface DestinationView {
  /** The host that another name stands for; empty for hosts that stand for themselves. */
  aliasTarget(host: Hostname): Hostname;
  /** The port of a destination that names none. */
  defaultPort(host: Hostname): number;
  sessionOf(host: Hostname): SessionPolicy | undefined;
}

/** Stands where a route of the Gateway API names a backend that doesn't exist. */
const UNKNOWN_SERVICE = 'UnknownService';

/** The hash by which the proxy chooses among the endpoints of a host. */
export const destinationHash = query(
  'destinationHash',
  (read: MeshRead, host: Hostname, subset: string, port?: number): ConsistentHashLB | undefined => {
    const [service] = read(scopeServicesOfHost, host);
    const rule = service && read(destinationRule, host, service.namespace);
    return rule && consistentHashOf(rule, subset, port);
  },
  alike,
);

export function routeContext(
  read: MeshRead,
  listener: Pick<RouteContext, 'gateways' | 'port'> & Partial<Pick<RouteContext, 'tls' | 'advertisesHttp3'>>,
  destinations: DestinationView,
): RouteContext {
  return {
    tls: false,
    advertisesHttp3: false,
    ...listener,
    features: features(read),
    defaultRetries: meshConfig(read).defaultHttpRetryPolicy,
    isFrom: (labels) => proxyMatches(read, labels),
    isFromNamespace: (namespace) => isOfNamespace(read, namespace),
    clusterOf: ({ host, port, subset }) => {
      if (host === '') return UNKNOWN_SERVICE;
      const number = port ? (port.number ?? 0) : destinations.defaultPort(host);
      return outboundClusterName(destinations.aliasTarget(host) || host, number, subset);
    },
    hashOf: ({ host, subset = '', port }) => read.by(destinationHash, host, subset, port?.number),
    sessionOf: (host) => destinations.sessionOf(host),
    forwardsHost: () => read.by(forwardsHost),
  };
}
