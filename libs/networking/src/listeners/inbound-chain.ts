import type { MeshRead } from '@kedge/config';
import { type FilterChain, packAny, type TransportSocket } from '@kedge/envoy-api';
import { features, meshConfig } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { hasCredentialSocket, hasFileSocket } from '../clusters/client-tls.ts';
import { BLACK_HOLE_CLUSTER, INBOUND_PASSTHROUGH_CLUSTER } from '../clusters/cluster-name.ts';
import { fillStatName } from '../clusters/stat-name.ts';
import { configMetadata } from '../config-metadata.ts';
import { httpManagerFilter } from '../filters/http-connection-manager.ts';
import { metadataExchange } from '../filters/metadata-exchange.ts';
import type { NetworkFilter } from '../filters/network-filter.ts';
import { connectionPolicies } from '../filters/policy-filters.ts';
import { clientCertificateHeaders } from '../filters/header-settings.ts';
import { statsFilters } from '../filters/stats.ts';
import { blackHole, tcpProxy } from '../filters/tcp-proxy.ts';
import { terminalFilters } from '../filters/terminal-filters.ts';
import { guardedPiece } from '../guard.ts';
import { inboundRouteConfiguration } from '../routes/inbound-route-configuration.ts';
import { downstreamMeshTls, workloadFiles } from '../tls/downstream-mesh-tls.ts';
import { serverTlsContext } from '../tls/server-tls.ts';
import type { InboundMatch } from './inbound-matches.ts';
import type { InboundPortPlan } from './inbound-plan.ts';
import { plainHttpProtocols } from './match.ts';
import { isHttp2 } from '@kedge/model';

/** What one chain of a port depends on. */
export type InboundChainPlan = Omit<InboundPortPlan, 'matches' | 'binding'> & { readonly match: InboundMatch };

/** One inbound chain by its plan as JSON. */
export const inboundChain = encodedQuery('inboundChain', (read: MeshRead, planJson: string) => {
  const plan = JSON.parse(planJson) as InboundChainPlan;
  const name = chainName(plan);
  return guardedPiece('envoy.config.listener.v3.FilterChain', name, chainMessage(read, name, plan), plan.from);
});

/** The plans of a port's chains, as JSON. */
export function inboundChainPlans({ matches, binding: _, ...rest }: InboundPortPlan): readonly string[] {
  return matches.map((match) => JSON.stringify({ ...rest, match } satisfies InboundChainPlan));
}

const isPassthrough = ({ cluster }: InboundChainPlan): boolean => cluster === INBOUND_PASSTHROUGH_CLUSTER;
const leadsNowhere = ({ cluster }: InboundChainPlan): boolean => cluster === BLACK_HOLE_CLUSTER;

function chainName(plan: InboundChainPlan): string {
  if (leadsNowhere(plan)) return `${plan.name}-blackhole`;
  return isPassthrough(plan) && plan.match.as === 'http' ? `${plan.name}-catchall-http` : plan.name;
}

function chainMessage(read: MeshRead, name: string, plan: InboundChainPlan): FilterChain {
  const { match, port, config } = plan;
  const protocols = match.protocols === 'plain-http' ? plainHttpProtocols(read) : match.protocols;
  return {
    filterChainMatch: {
      ...(port > 0 || leadsNowhere(plan) ? { destinationPort: port } : {}),
      ...(match.transport ? { transportProtocol: match.transport } : {}),
      ...(protocols ? { applicationProtocols: protocols } : {}),
    },
    filters: match.as === 'http' ? httpFilters(read, plan) : tcpFilters(read, plan),
    ...(match.ends ? { transportSocket: transportSocket(read, plan) } : {}),
    ...(config ? { metadata: configMetadata(config) } : {}),
    name,
  };
}

function transportSocket(read: MeshRead, { match, tls }: InboundChainPlan): TransportSocket {
  const context = tls
    ? serverTlsContext({
        settings: tls,
        content: 'http',
        workloadFiles: workloadFiles(read),
        mesh: meshConfig(read),
        features: features(read),
        credentials: { socket: read.fact(hasCredentialSocket) },
        fileSocket: read.fact(hasFileSocket),
      })
    : downstreamMeshTls(read, match.as);
  return {
    name: 'envoy.transport_sockets.tls',
    typedConfig: packAny('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', context),
  };
}

/** Who the client is must be known before any policy acts on it: filters of policies come right after these. */
function peerExchange(read: MeshRead): readonly NetworkFilter[] {
  const exchange = metadataExchange(read, 'downstream');
  return exchange ? [exchange] : [];
}

function httpFilters(read: MeshRead, plan: InboundChainPlan): readonly NetworkFilter[] {
  const { cluster, hostname, servicePort, protocol, name } = plan;
  return [
    ...peerExchange(read),
    httpManagerFilter(read, {
      class: 'inbound',
      statPrefix: isPassthrough(plan) ? cluster : `inbound_${name}`,
      routes: {
        inline: inboundRouteConfiguration(read, { cluster, host: hostname, port: servicePort, protocol }),
      },
      grpcWeb: protocol === 'GRPC-Web',
      settings: {
        ...clientCertificateHeaders(read),
        ...(isHttp2(protocol) ? { http2ProtocolOptions: {} } : {}),
      },
    }),
  ];
}

function tcpFilters(read: MeshRead, plan: InboundChainPlan): readonly NetworkFilter[] {
  const exchange = peerExchange(read);
  const stats = statsFilters(read, 'inbound', 'tcp');
  // Nobody need be kept from what leads nowhere.
  if (leadsNowhere(plan)) return [...exchange, ...stats, blackHole];
  const { cluster, statName, protocol } = plan;
  const pattern = meshConfig(read).inboundClusterStatName;
  const statPrefix = pattern && statName ? fillStatName(pattern, statName) : cluster;
  const tcp = tcpProxy(read, 'inbound', { statPrefix, cluster });
  return [
    ...exchange,
    ...connectionPolicies(read, 'inbound'),
    ...stats,
    ...terminalFilters(read, protocol, { statPrefix, cluster, tcp }),
  ];
}
