import type { Route } from '@kedge/envoy-api';
import type { SidecarOutboundTrafficPolicy } from '@kedge/model';
import { DYNAMIC_DNS_CLUSTER, outboundClusterName, PASSTHROUGH_CLUSTER } from '../clusters/cluster-name.ts';
import { timeouts } from './route-action.ts';

/** What becomes of requests for hosts that nobody knows: they are let out through a cluster, or refused. */
export interface CatchAll {
  readonly name: 'allow_any' | 'allow_any_dynamic_dns' | 'block_all';
  /** Empty where they are refused. */
  readonly cluster: string;
}

export function catchAllOf(policy: SidecarOutboundTrafficPolicy | undefined): CatchAll {
  // The mesh's policy has one mode more than that of a Sidecar.
  const mode: string | undefined = policy?.mode;
  if (mode === 'ALLOW_ANY_DYNAMIC_DNS') return { name: 'allow_any_dynamic_dns', cluster: DYNAMIC_DNS_CLUSTER };
  if (mode !== 'ALLOW_ANY') return { name: 'block_all', cluster: '' };
  const proxy = policy?.egressProxy;
  const cluster = proxy ? outboundClusterName(proxy.host, proxy.port?.number ?? 0, proxy.subset) : PASSTHROUGH_CLUSTER;
  return { name: 'allow_any', cluster };
}

export function catchAllRoute({ name, cluster }: CatchAll, forwardsHost: boolean): Route {
  const route: Route = { name, match: { prefix: '/' } };
  if (cluster === '') return { ...route, directResponse: { status: 502 } };
  return {
    ...route,
    route: { cluster, ...timeouts(undefined), ...(forwardsHost ? { appendXForwardedHost: true } : {}) },
  };
}
