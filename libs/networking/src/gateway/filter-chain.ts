import type { MeshRead } from '@kedge/config';
import { type Messages, packAny } from '@kedge/envoy-api';
import { formatDuration } from '@kedge/model';
import { features, meshConfig, metadataText } from '@kedge/pushcontext';
import { hasFileSocket } from '../clusters/client-tls.ts';
import { metadataExchange } from '../filters/metadata-exchange.ts';
import { connectionPolicies } from '../filters/policy-filters.ts';
import type { NetworkFilter } from '../filters/network-filter.ts';
import { tcpTargetFilters } from '../listeners/outbound-tcp-filters.ts';
import { credentialOptions } from '../tls/credential-options.ts';
import { type CertificateFiles, type DownstreamTlsContext, serverTlsContext } from '../tls/server-tls.ts';
import type { FilterChainPlan } from './filter-chain-plan.ts';
import { gatewayManager } from './http-manager.ts';

type FilterChain = Messages['envoy.config.listener.v3.FilterChain'];
type FilterChainMatch = Messages['envoy.config.listener.v3.FilterChainMatch'];
type TransportSocket = Messages['envoy.config.core.v3.TransportSocket'];

/** The protocols by which proxies of the mesh announce mutual TLS. */
const MESH_PROTOCOLS = ['istio', 'istio-peer-exchange', 'istio-http/1.0', 'istio-http/1.1', 'istio-h2'];

/** The filter chain of a plan; `listener` names the listener that it is in. */
export function gatewayFilterChain(read: MeshRead, plan: FilterChainPlan, listener: string): FilterChain {
  const match = chainMatch(plan);
  const timeout = features(read).gatewayTransportSocketConnectTimeout;
  const tls = endsTls(plan) ? tlsContext(read, plan) : undefined;
  return {
    ...(match ? { filterChainMatch: match } : {}),
    filters: [...networkFilters(read, plan, listener)],
    ...(tls ? { transportSocket: transportSocket(tls, isHttp3(plan)) } : {}),
    ...(timeout > 0 ? { transportSocketConnectTimeout: formatDuration(timeout) } : {}),
  };
}

const endsTls = ({ server: { kind } }: FilterChainPlan): boolean => kind === 'https' || kind === 'tls';

const isHttp3 = ({ target }: FilterChainPlan): boolean => target.kind === 'http' && target.http3;

/** Undefined for a chain that takes whatever the others leave. */
function chainMatch({ serverNames, meshTlsOnly }: FilterChainPlan): FilterChainMatch | undefined {
  if (serverNames.length === 0 && !meshTlsOnly) return undefined;
  return {
    ...(serverNames.length > 0 ? { serverNames: [...serverNames] } : {}),
    ...(meshTlsOnly ? { applicationProtocols: MESH_PROTOCOLS } : {}),
  };
}

function networkFilters(read: MeshRead, plan: FilterChainPlan, listener: string): readonly NetworkFilter[] {
  const { server, target } = plan;
  if (target.kind === 'http') {
    return [gatewayManager(read, { server, routeName: target.routeName, http3: target.http3, listener })];
  }
  const exchange = server.tls?.mode === 'ISTIO_MUTUAL' ? metadataExchange(read, 'downstream') : undefined;
  // Between networks the workload authorizes, for only it sees who connects.
  const policies = server.kind === 'auto-passthrough' ? [] : connectionPolicies(read, 'gateway');
  return [...(exchange ? [exchange] : []), ...policies, ...tcpTargetFilters(read, target, 'gateway')];
}

function tlsContext(read: MeshRead, { server, target }: FilterChainPlan): DownstreamTlsContext | undefined {
  if (!server.tls) return undefined;
  return serverTlsContext({
    settings: server.tls,
    content: target.kind !== 'http' ? 'opaque' : target.http3 ? 'http3' : 'http',
    workloadFiles: workloadFiles(read),
    mesh: meshConfig(read),
    features: features(read),
    credentials: credentialOptions(read, server.tls),
    fileSocket: read.fact(hasFileSocket),
  });
}

function workloadFiles(read: MeshRead): CertificateFiles {
  const text = (field: 'tlsServerCertChain' | 'tlsServerKey' | 'tlsServerRootCert'): string =>
    String(read.fact(metadataText, field) ?? '');
  return { certificate: text('tlsServerCertChain'), key: text('tlsServerKey'), root: text('tlsServerRootCert') };
}

function transportSocket(context: DownstreamTlsContext, quic: boolean): TransportSocket {
  return quic
    ? {
        name: 'envoy.transport_sockets.quic',
        typedConfig: packAny('envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport', {
          downstreamTlsContext: context,
        }),
      }
    : {
        name: 'envoy.transport_sockets.tls',
        typedConfig: packAny('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', context),
      };
}
