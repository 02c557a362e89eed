import { type Cluster, packAny, type TransportSocket } from '@kedge/envoy-api';
import type { ProxyProtocol } from '@kedge/model';
import type { UpstreamTlsContext } from '../tls/upstream-tls.ts';

/** Plain text, under the names by which Istio's configuration, and patches written for it, know it. */
const plainText = (name: string): TransportSocket => ({
  name,
  typedConfig: packAny('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer', {}),
});
const unencrypted = plainText('envoy.transport_sockets.raw_buffer');
const wrapped = plainText('raw_buffer');

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
  if (proxyProtocol) return { transportSocket: announcing(proxyProtocol)(socket ?? wrapped) };
  return socket ? { transportSocket: socket } : {};
}

/** Mutual TLS towards endpoints that have a proxy, plain text towards the others. */
export function byEndpoint(socket: TransportSocket, proxyProtocol?: ProxyProtocol): Cluster {
  const wrap = proxyProtocol ? announcing(proxyProtocol) : asItIs;
  return {
    transportSocketMatches: [
      { name: 'tlsMode-istio', match: { tlsMode: 'istio' }, transportSocket: wrap(socket) },
      { name: 'tlsMode-disabled', match: {}, transportSocket: wrap(unencrypted) },
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
