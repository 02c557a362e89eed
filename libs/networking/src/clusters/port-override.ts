import type { Cluster } from '@kedge/envoy-api';
import type { Service, ServicePort } from '@kedge/model';

/** Hosts of ServiceEntries may be served on another port than the one that clients address. For clusters without endpoints. */
export function portOverride({ provider, resolution }: Service, { targetPort }: ServicePort): Cluster {
  if (provider !== 'External' || resolution !== 'passthrough' || !targetPort) return {};
  return { originalDstLbConfig: { upstreamPortOverride: targetPort } };
}
