import type { MeshRead } from '@kedge/config';
import { isHttp, type ProxyConfig } from '@kedge/model';
import { proxyConfig } from '@kedge/pushcontext';
import { type HttpConnectionManager, httpManagerFilter } from '../filters/http-connection-manager.ts';
import type { NetworkFilter } from '../filters/network-filter.ts';
import type { ChainServer } from './filter-chain-plan.ts';

type Topology = NonNullable<ProxyConfig['gatewayTopology']>;

/** What a gateway tells upstreams of the client's certificate. */
const ALL_DETAILS = { subject: true, cert: true, dns: true, uri: true } as const;

export interface GatewayManagerInput {
  readonly server: ChainServer;
  readonly routeName: string;
  readonly http3: boolean;
  /** Name of the listener; begins its statistics where the server has no name. */
  readonly listener: string;
}

/** The connection manager of a server: clients come from outside, so their addresses and headers aren't trusted. */
export function gatewayManager(read: MeshRead, input: GatewayManagerInput): NetworkFilter {
  const { server, routeName, http3, listener } = input;
  const named = server.kind === 'https' && server.name !== '';
  return httpManagerFilter(read, {
    class: 'gateway',
    statPrefix: `outbound_${listener}`,
    routes: { fetched: routeName },
    useRemoteAddress: true,
    grpcWeb: isHttp(server.protocol) && server.protocol === 'GRPC-Web',
    settings: {
      ...forwarding(proxyConfig(read, 'gatewayTopology')),
      httpProtocolOptions: {},
      ...(named ? { statPrefix: server.name } : {}),
      ...(http3 ? { codecType: 'HTTP3', http3ProtocolOptions: {} } : {}),
    },
  });
}

/** How many proxies stand in front of the gateway, and what becomes of certificates that they report. */
function forwarding(topology: Topology | undefined): HttpConnectionManager {
  const stated = topology?.forwardClientCertDetails;
  const forward = stated === undefined || stated === 'UNDEFINED' ? 'SANITIZE_SET' : stated;
  return {
    ...(topology?.numTrustedProxies ? { xffNumTrustedHops: topology.numTrustedProxies } : {}),
    ...(forward === 'SANITIZE' ? {} : { forwardClientCertDetails: forward }),
    ...(forward === 'APPEND_FORWARD' || forward === 'SANITIZE_SET' ? { setCurrentClientCertDetails: ALL_DETAILS } : {}),
  };
}
