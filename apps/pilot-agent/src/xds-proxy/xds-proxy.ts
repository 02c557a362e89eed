import type { Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { Any } from '@kedge/envoy-api';
import { GrpcError, GrpcServer, type ServerStream, Status, type StatusCode } from '@kedge/grpc-server';
import type { Logger } from '@kedge/observability';
import { adsServiceName } from '@kedge/xds-core';
import type { CallerCredentials } from '../identity/credential-files.ts';
import { callMetadata, grpcClient, type Target } from '../identity/grpc-client.ts';
import type { AgentMetrics } from '../metrics.ts';
import { listenOnSocket } from '../unix-socket.ts';
import { AgentRequests, type HealthSource } from './agent-requests.ts';
import { type Protocol, protocolOf } from './discovery-messages.ts';
import type { Watch } from './watch.ts';

export interface XdsProxyOptions {
  /** The control plane. */
  readonly target: Target;
  /** What it is called with now. */
  readonly credentials: () => Promise<CallerCredentials>;
  /** What the agent itself asks for. */
  readonly watches?: readonly Watch[];
  /** What it tells of the workload. */
  readonly health?: HealthSource;
  /** Replaces an extension's configuration (ECDS) on its way to Envoy. Never rejects. */
  readonly convertExtension?: (resource: Any) => Promise<Any>;
  readonly metrics: AgentMetrics;
  readonly log: Logger;
}

const raw = (bytes: Buffer): Buffer => bytes;
const extensionType = 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig';

/** A proxy's requests may name everything that it holds. */
const maxReceiveBytes = 256 * 1024 * 1024;

/** Envoy's end of a stream, and the control plane's. */
interface Ends {
  readonly envoy: ServerStream;
  readonly controlPlane: ClientDuplexStream<Buffer, Buffer>;
  readonly client: Client;
  readonly protocol: Protocol;
  readonly agent: AgentRequests;
}

/**
 * Passes ADS between Envoy, on a Unix socket, and the control plane. A stream of Envoy's is one of the control plane's: where
 * either ends the other does too, and Envoy, which alone knows what it holds, comes again by its own back-off. Messages pass
 * byte for byte, but for those that the agent itself asks for, and extensions that it converts.
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
    const { target, log, metrics, watches = [], health } = this.#options;
    let credentials: CallerCredentials;
    try {
      credentials = await this.#options.credentials();
    } catch (error) {
      metrics.istio_agent_istiod_connection_failures.increment();
      log.warn('the control plane cannot be called', { error });
      throw new GrpcError(Status.UNAVAILABLE, error instanceof Error ? error.message : String(error));
    }
    if (envoy.signal.aborted) return;
    const client = grpcClient(target, credentials);
    const controlPlane = client.makeBidiStreamRequest(envoy.method, raw, raw, callMetadata(target, credentials));
    const protocol = protocolOf(envoy.method);
    const send = (request: Buffer): void => {
      metrics.istio_agent_xds_proxy_requests.increment();
      controlPlane.write(request);
    };
    const agent = new AgentRequests({ protocol, watches, ...(health && { health }), send, log });
    const ends = { envoy, controlPlane, client, protocol, agent };
    envoy.signal.addEventListener(
      'abort',
      () => {
        agent[Symbol.dispose]();
        controlPlane.cancel();
      },
      { once: true },
    );
    this.#passAnswers(ends);
    this.#passRequests(ends);
  }

  #passRequests({ envoy, controlPlane, agent }: Ends): void {
    const { istio_agent_xds_proxy_requests: requests } = this.#options.metrics;
    envoy.receive(
      (message) => {
        requests.increment();
        const request = Buffer.from(message);
        const drained = controlPlane.write(request);
        agent.requested(request);
        if (drained) return;
        envoy.pause();
        controlPlane.once('drain', () => envoy.resume());
      },
      () => controlPlane.end(),
    );
  }

  #passAnswers({ envoy, controlPlane, client, protocol, agent }: Ends): void {
    const { metrics, log, target, convertExtension } = this.#options;
    let answered = false;
    let ended = false;
    // Extensions may wait for a download; other types need not wait for them.
    let extensions = Promise.resolve();
    const pass = (message: Buffer): void => {
      if (ended || envoy.write(message)) return;
      controlPlane.pause();
      envoy.onDrain(() => controlPlane.resume());
    };
    controlPlane.on('data', (message: Buffer) => {
      if (!answered) log.info(`xDS is passed on from ${target.address}`);
      answered = true;
      metrics.istio_agent_xds_proxy_responses.increment();
      const type = protocol.responseType(message);
      if (agent.take(type, message)) return;
      if (type !== extensionType || !convertExtension) pass(message);
      else {
        extensions = extensions
          .then(() => protocol.withResources(message, convertExtension))
          .then(pass, (error: unknown) => {
            log.warn('extensions are passed on as they are', { error });
            pass(message);
          });
      }
    });
    const finish = ({ code, details }: StatusObject): void => {
      ended = true;
      agent[Symbol.dispose]();
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
