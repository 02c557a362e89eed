import type { Route, RouteAction, WeightedCluster } from '@kedge/envoy-api';
import { formatDuration, type HTTPRoute, type HTTPRouteDestination } from '@kedge/model';
import type { RouteSemantics } from '@kedge/pushcontext';
import { hashPolicies } from './hash-policy.ts';
import {
  authorityOf,
  type HeaderChanges,
  headerChanges,
  NO_HEADER_CHANGES,
  presentHeaderChanges,
} from './header-operations.ts';
import { mirrorPolicies } from './mirror.ts';
import { retryPolicy } from './retry-policy.ts';
import { pathRewrite } from './rewrite.ts';
import type { RouteContext } from './route-context.ts';

/** A route's way to its destinations, and the changes of headers that its one destination asks for. */
interface ForwardingRoute {
  readonly action: RouteAction;
  readonly headers: HeaderChanges;
}

/** Envoy waits as long as a response takes, unless it is told otherwise. */
const NO_TIMEOUT = '0s';

export function timeouts(milliseconds: number | undefined): RouteAction {
  const timeout = milliseconds === undefined ? NO_TIMEOUT : formatDuration(milliseconds);
  return { timeout, maxGrpcTimeout: timeout };
}

export function forwardingRoute(
  route: HTTPRoute,
  match: NonNullable<Route['match']>,
  semantics: RouteSemantics,
  context: RouteContext,
): ForwardingRoute {
  const [only, ...others] = route.route;
  const single = only && others.length === 0 ? only : undefined;
  const receivers = single ? [single] : route.route.filter(({ weight }) => weight);
  const hashes = receivers.map(({ destination }) => (destination ? context.hashOf(destination) : undefined));
  const hashPolicy = hashes.flatMap(hashPolicies);
  const retries = retryPolicy(route.retries ?? context.defaultRetries, single !== undefined && hashes[0] !== undefined);
  const mirrors = mirrorPolicies(route, context);
  const host = route.rewrite?.authority || authorityOf(route.headers) || (single ? authorityOf(single.headers) : '');
  return {
    headers: single ? headerChanges(single.headers) : NO_HEADER_CHANGES,
    action: {
      ...(single
        ? { cluster: clusterOf(single, context) }
        : { weightedClusters: weightedClusters(receivers, context) }),
      ...(semantics === 'gateway' ? { clusterNotFoundResponseCode: 'INTERNAL_SERVER_ERROR' } : {}),
      ...(route.rewrite ? pathRewrite(route.rewrite, match, semantics) : {}),
      ...(route.rewrite && context.forwardsHost() ? { appendXForwardedHost: true } : {}),
      ...(host ? { hostRewriteLiteral: host } : {}),
      ...timeouts(route.timeout),
      ...(retries ? { retryPolicy: retries } : {}),
      ...(mirrors.length > 0 ? { requestMirrorPolicies: mirrors } : {}),
      ...(hashPolicy.length > 0 ? { hashPolicy } : {}),
    },
  };
}

const clusterOf = ({ destination }: HTTPRouteDestination, context: RouteContext): string =>
  context.clusterOf(destination ?? { host: '' });

/** Destinations of weight 0 get nothing. */
function weightedClusters(receivers: readonly HTTPRouteDestination[], context: RouteContext): WeightedCluster {
  return {
    clusters: receivers.map((receiver) => {
      const host = authorityOf(receiver.headers);
      return {
        name: clusterOf(receiver, context),
        weight: receiver.weight,
        ...presentHeaderChanges(headerChanges(receiver.headers)),
        ...(host ? { hostRewriteLiteral: host } : {}),
      };
    }),
  };
}
