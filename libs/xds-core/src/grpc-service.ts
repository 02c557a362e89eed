import type { ServerStream, ServiceMethods } from '@kedge/grpc-server';
import type { AdsStream } from './ads-stream.ts';
import type { DiscoveryServer } from './discovery-server.ts';

/** Full name of the service that `adsMethods` implements. */
export const adsServiceName = 'envoy.service.discovery.v3.AggregatedDiscoveryService';

/** The ADS methods for a gRPC server. */
export function adsMethods<Snapshot, Client, Request>(
  server: Pick<DiscoveryServer<Snapshot, Client, Request>, 'streamAggregatedResources' | 'deltaAggregatedResources'>,
): ServiceMethods {
  return {
    StreamAggregatedResources: { kind: 'bidi', handle: (call) => server.streamAggregatedResources(adsStream(call)) },
    DeltaAggregatedResources: { kind: 'bidi', handle: (call) => server.deltaAggregatedResources(adsStream(call)) },
  };
}

function adsStream(call: ServerStream): AdsStream {
  const { peer, metadata, signal, draining } = call;
  return {
    signal,
    draining,
    peer: {
      address: peer.address,
      tls: peer.tls,
      metadata,
      get certificate() {
        return peer.certificate;
      },
    },
    receive: (onMessage, onHalfClose) => call.receive(onMessage, onHalfClose),
    pause: () => call.pause(),
    resume: () => call.resume(),
    write: (...chunks) => call.write(...chunks),
    onDrain: (listener) => call.onDrain(listener),
    end: (status) => call.end(status),
  };
}
