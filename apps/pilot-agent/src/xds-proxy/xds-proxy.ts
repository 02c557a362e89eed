import { GrpcServer, type ServerStream } from '@kedge/grpc-server';
import { adsServiceName } from '@kedge/xds-core';
import { listenOnSocket } from '../unix-socket.ts';
import { ProxiedStream, type XdsProxyOptions } from './proxied-stream.ts';

/** A proxy's requests may name everything that it holds. */
const maxReceiveBytes = 256 * 1024 * 1024;

/**
 * Passes ADS between Envoy, on a Unix socket, and the control plane: byte for byte, but for what the agent itself asks for, and
 * extensions that it converts.
 */
export class XdsProxy implements AsyncDisposable {
  readonly #server = new GrpcServer({ maxReceiveBytes, keepalive: undefined });

  constructor(options: XdsProxyOptions) {
    const handle = (stream: ServerStream): void => void new ProxiedStream(stream, options);
    const method = { kind: 'bidi', handle } as const;
    this.#server.addService(adsServiceName, { StreamAggregatedResources: method, DeltaAggregatedResources: method });
  }

  listen(path: string): Promise<void> {
    return listenOnSocket(this.#server, path);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }
}
