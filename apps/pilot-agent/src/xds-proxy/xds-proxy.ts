import type { Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { GrpcError, GrpcServer, type ServerStream, Status, type StatusCode } from '@kedge/grpc-server';
import type { Logger } from '@kedge/observability';
import { adsServiceName } from '@kedge/xds-core';
import type { CallerCredentials } from '../identity/credential-files.ts';
import { callMetadata, type Target, tlsClient } from '../identity/tls-client.ts';
import type { AgentMetrics } from '../metrics.ts';
import { listenOnSocket } from '../unix-socket.ts';

export interface XdsProxyOptions {
  /** The control plane. */
  readonly target: Target;
  /** What it is called with now. */
  readonly credentials: () => Promise<CallerCredentials>;
  readonly metrics: AgentMetrics;
  readonly log: Logger;
}

const raw = (bytes: Buffer): Buffer => bytes;

/** A proxy's requests may name everything that it holds. */
const maxReceiveBytes = 256 * 1024 * 1024;

/**
 * Passes ADS between Envoy, on a Unix socket, and the control plane over TLS, byte for byte. A stream of Envoy's is one of
 * the control plane's: where either ends the other does too, and Envoy, which alone knows what it holds, comes again by
 * its own back-off.
 */
export class XdsProxy implements AsyncDisposable {
  readonly #options: XdsProxyOptions;
  readonly #server = new GrpcServer({ maxReceiveBytes, keepalive: undefined });

  constructor(options: XdsProxyOptions) {
    this.#options = options;
    const method = { kind: 'bidi', handle: (stream: ServerStream) => this.#serve(stream) } as const;
    this.#server.addService(adsServiceName, { StreamAggregatedResources: method, DeltaAggregatedResources: method });
  }

  listen(path: string): Promise<void> {
    return listenOnSocket(this.#server, path);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }

  async #serve(envoy: ServerStream): Promise<void> {
    const { target, log, metrics } = this.#options;
    let credentials: CallerCredentials;
    try {
      credentials = await this.#options.credentials();
    } catch (error) {
      metrics.istio_agent_istiod_connection_failures.increment();
      log.warn('the control plane cannot be called', { error });
      throw new GrpcError(Status.UNAVAILABLE, error instanceof Error ? error.message : String(error));
    }
    if (envoy.signal.aborted) return;
    const client = tlsClient(target, credentials);
    const controlPlane = client.makeBidiStreamRequest(envoy.method, raw, raw, callMetadata(target, credentials));
    envoy.signal.addEventListener('abort', () => controlPlane.cancel(), { once: true });
    this.#passAnswers(controlPlane, envoy, client);
    this.#passRequests(envoy, controlPlane);
  }

  #passRequests(envoy: ServerStream, controlPlane: ClientDuplexStream<Buffer, Buffer>): void {
    const { istio_agent_xds_proxy_requests: requests } = this.#options.metrics;
    envoy.receive(
      (message) => {
        requests.increment();
        if (controlPlane.write(Buffer.from(message))) return;
        envoy.pause();
        controlPlane.once('drain', () => envoy.resume());
      },
      () => controlPlane.end(),
    );
  }

  #passAnswers(controlPlane: ClientDuplexStream<Buffer, Buffer>, envoy: ServerStream, client: Client): void {
    const { metrics, log, target } = this.#options;
    let answered = false;
    controlPlane.on('data', (message: Buffer) => {
      if (!answered) log.info(`xDS is passed on from ${target.address}`);
      answered = true;
      metrics.istio_agent_xds_proxy_responses.increment();
      if (envoy.write(message)) return;
      controlPlane.pause();
      envoy.onDrain(() => controlPlane.resume());
    });
    const finish = ({ code, details }: StatusObject): void => {
      if (envoy.signal.aborted) {
        metrics.istio_agent_envoy_connection_terminations.increment();
        return;
      }
      const counter = answered
        ? 'istio_agent_istiod_connection_terminations'
        : 'istio_agent_istiod_connection_failures';
      metrics[counter].increment();
      log.warn(`the stream of ${target.address} has ended: ${details || `status ${code}`}`);
      // Also an orderly end is none that Envoy asked for.
      const status = code === Status.OK ? Status.UNAVAILABLE : (code as StatusCode);
      envoy.end({ code: status, message: details || 'the control plane has ended the stream' });
    };
    // The status comes with an event of its own.
    controlPlane.on('error', () => undefined);
    controlPlane.on('status', (status: StatusObject) => {
      client.close();
      // Where Envoy is slow, the status comes before the last answers are passed on.
      if (controlPlane.readableLength === 0 || envoy.signal.aborted) finish(status);
      else controlPlane.once('end', () => finish(status));
    });
  }
}
