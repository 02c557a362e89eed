import { type Cluster, packAny, type TransportSocket } from '@kedge/envoy-api';
import type { ProxyProtocol } from '@kedge/model';
import type { UpstreamTlsContext } from '../tls/upstream-tls.ts';

const rawBuffer: TransportSocket = {
  name: 'envoy.transport_sockets.raw_buffer',
  typedConfig: packAny('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer', {}),
};

export function tlsSocket(context: UpstreamTlsContext): TransportSocket {
  return {
    name: 'envoy.transport_sockets.tls',
    typedConfig: packAny('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', context),
  };
}

type SocketOf = (socket: TransportSocket) => TransportSocket;
const asItIs: SocketOf = (socket) => socket;

/** One socket for all endpoints, or Envoy's own plain one. */
export function sameForAll(socket: TransportSocket | undefined, proxyProtocol?: ProxyProtocol): Cluster {
  if (proxyProtocol) return { transportSocket: announcing(proxyProtocol)(socket ?? rawBuffer) };
  return socket ? { transportSocket: socket } : {};
}

/** Mutual TLS towards endpoints that have a proxy, plain text towards the others. */
export function byEndpoint(socket: TransportSocket, proxyProtocol?: ProxyProtocol): Cluster {
  const wrap = proxyProtocol ? announcing(proxyProtocol) : asItIs;
  return {
    transportSocketMatches: [
      { name: 'tlsMode-istio', match: { tlsMode: 'istio' }, transportSocket: wrap(socket) },
      { name: 'tlsMode-disabled', match: {}, transportSocket: wrap(rawBuffer) },
    ],
  };
}

/** Wraps a socket so that it tells the server first whose connection it forwards. */
function announcing({ version }: ProxyProtocol): SocketOf {
  return (socket) => ({
    name: 'envoy.transport_sockets.upstream_proxy_protocol',
    typedConfig: packAny('envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport', {
      config: version === 'V2' ? { version } : {},
      transportSocket: socket,
    }),
  });
}
