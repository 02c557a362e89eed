import type { MeshRead } from '@kedge/config';
import { type Cluster, packAny } from '@kedge/envoy-api';
import { formatDuration, type Service } from '@kedge/model';
import { features, meshConfig, nodeType } from '@kedge/pushcontext';
import { ipFamilies } from '../ip-families.ts';

/** How a cluster finds its endpoints. */
export type DiscoveryType = 'EDS' | 'STRICT_DNS' | 'LOGICAL_DNS' | 'ORIGINAL_DST';

/** By the resolution of the service. Gateways have no original destination to go to, so they get endpoints. */
export function discoveryType(read: MeshRead, { resolution, provider, racesConnections }: Service): DiscoveryType {
  switch (resolution) {
    case 'dns':
      return racesConnections ? 'LOGICAL_DNS' : 'STRICT_DNS';
    case 'dns-round-robin':
      return 'LOGICAL_DNS';
    case 'passthrough':
      if (read.fact(nodeType) === 'router') return 'EDS';
      return provider === 'Kubernetes' && features(read).edsForHeadless ? 'EDS' : 'ORIGINAL_DST';
    default:
      return 'EDS';
  }
}

export const resolvesNames = (type: DiscoveryType): boolean => type === 'STRICT_DNS' || type === 'LOGICAL_DNS';

/** Which addresses of a name the proxy can reach. */
export function dnsLookupFamily(read: MeshRead): Cluster['dnsLookupFamily'] {
  const { dualStack, ipv4OutboundForIpv6 } = features(read);
  switch (read.fact(ipFamilies)) {
    case 'v4':
      return 'V4_ONLY';
    case 'v6':
      return ipv4OutboundForIpv6 ? 'ALL' : 'V6_ONLY';
    case 'dual':
      return dualStack ? 'ALL' : 'V4_ONLY';
  }
}

/** How a cluster resolves names. */
export function dnsSettings(read: MeshRead, { racesConnections }: Service): Cluster {
  const { dnsJitter, dnsMaxUdpQueries } = features(read);
  const { dnsRefreshRate } = meshConfig(read);
  return {
    dnsLookupFamily: racesConnections ? 'ALL' : dnsLookupFamily(read),
    ...(dnsRefreshRate === undefined ? {} : { dnsRefreshRate: formatDuration(dnsRefreshRate) }),
    dnsJitter: formatDuration(dnsJitter),
    respectDnsTtl: true,
    typedDnsResolverConfig: {
      name: 'envoy.network.dns_resolver.cares',
      typedConfig: packAny('envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig', {
        udpMaxQueries: dnsMaxUdpQueries,
      }),
    },
  };
}

/** Endpoints come over the same stream; the cluster waits for them as long as it takes. */
export function edsSettings(name: string): Cluster {
  return {
    edsClusterConfig: {
      edsConfig: { ads: {}, initialFetchTimeout: '0s', resourceApiVersion: 'V3' },
      serviceName: name,
    },
  };
}
