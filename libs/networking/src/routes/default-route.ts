import type { Route, RouteAction } from '@kedge/envoy-api';
import type { ConsistentHashLB, Hostname, HTTPRetry, Protocol } from '@kedge/model';
import { outboundClusterName } from '../clusters/cluster-name.ts';
import { hashPolicies } from './hash-policy.ts';
import { hostAndPort } from './host-and-port.ts';
import { inboundRetryPolicy, retryPolicy } from './retry-policy.ts';
import { timeouts } from './route-action.ts';

/** A service, or what of the workload, a route of its own leads to. */
interface Target {
  readonly host: Hostname;
  readonly port: number;
}

/** The route to a service for which there is no VirtualService. */
export function defaultOutboundRoute(
  { host, port }: Target,
  hash: ConsistentHashLB | undefined,
  retries: HTTPRetry | undefined,
): Route {
  const hashPolicy = hashPolicies(hash);
  const retry = retryPolicy(retries, false);
  return defaultRoute(
    { host, port },
    {
      cluster: outboundClusterName(host, port),
      ...timeouts(undefined),
      ...(retry ? { retryPolicy: retry } : {}),
      ...(hashPolicy.length > 0 ? { hashPolicy } : {}),
    },
  );
}

const NO_TIMEOUT = '0s';

/**
 * The route to the workload itself: its clients decide how long they wait. The usual condition for retries doesn't suit the
 * streams of gRPC.
 */
export function defaultInboundRoute(
  target: Target,
  cluster: string,
  protocol: Protocol,
  retries: HTTPRetry | undefined,
): Route {
  const isGrpc = protocol === 'GRPC' || protocol === 'GRPC-Web';
  const retry = isGrpc ? undefined : inboundRetryPolicy(retries);
  return defaultRoute(target, {
    cluster,
    timeout: NO_TIMEOUT,
    ...(retry ? { retryPolicy: retry } : {}),
    maxStreamDuration: { maxStreamDuration: NO_TIMEOUT, grpcTimeoutHeaderMax: NO_TIMEOUT },
  });
}

function defaultRoute({ host, port }: Target, route: RouteAction): Route {
  return { name: 'default', match: { prefix: '/' }, route, decorator: { operation: `${hostAndPort(host, port)}/*` } };
}
