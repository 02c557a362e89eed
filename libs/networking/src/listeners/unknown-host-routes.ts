import type { MeshRead } from '@kedge/config';
import type { RouteConfiguration } from '@kedge/envoy-api';
import { DYNAMIC_DNS_CLUSTER } from '../clusters/cluster-name.ts';
import { forwardsHost, includesAttemptCount } from '../proxy-headers.ts';
import { catchAllRoute } from '../routes/catch-all.ts';

const NAME = 'allow_any_dynamic_dns';

/** Routes for requests to hosts that the mesh doesn't know: to whatever the name in the request resolves to. */
export function unknownHostRoutes(read: MeshRead): RouteConfiguration {
  const route = catchAllRoute({ name: NAME, cluster: DYNAMIC_DNS_CLUSTER }, read(forwardsHost));
  const countsAttempts = read(includesAttemptCount);
  return {
    name: NAME,
    virtualHosts: [
      { name: NAME, domains: ['*'], routes: [route], ...(countsAttempts ? { includeRequestAttemptCount: true } : {}) },
    ],
    validateClusters: false,
    maxDirectResponseBodySizeBytes: 1048576,
    ignorePortInHostMatching: true,
  };
}
