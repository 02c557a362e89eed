import type { Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { Any } from '@kedge/envoy-api';
import { type ServerStream, Status, type StatusCode } from '@kedge/grpc-server';
import type { Logger } from '@kedge/observability';
import type { CallerCredentials } from '../identity/credential-files.ts';
import { callMetadata, grpcClient, type Target } from '../identity/grpc-client.ts';
import type { AgentMetrics } from '../metrics.ts';
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

const firstRetryMs = 500;
const lastRetryMs = 5000;

/** Before the next try after so many failures: doubled each time, with half of it random. */
function retryDelay(failures: number): number {
  return Math.min(firstRetryMs * 2 ** (failures - 1), lastRetryMs) * (0.5 + Math.random() / 2);
}

/**
 * A stream of Envoy's with its counterpart at the control plane. Until there was an answer another counterpart can take the place of
 * one that failed, as Envoy can't tell; after that both end together, for Envoy alone knows what it holds.
 */
export class ProxiedStream {
  readonly #options: XdsProxyOptions;
  readonly #envoy: ServerStream;
  readonly #protocol: Protocol;
  readonly #agent: AgentRequests;
  #controlPlane: ClientDuplexStream<Buffer, Buffer> | undefined;
  /** What was asked so far; undefined once there was an answer. */
  #asked: Buffer[] | undefined = [];
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #halfClosed = false;
  #ended = false;
  /** Extensions may wait for a download; other types need not wait for them. */
  #extensions = Promise.resolve();

  constructor(envoy: ServerStream, options: XdsProxyOptions) {
    const { watches = [], health, log } = options;
    this.#options = options;
    this.#envoy = envoy;
    this.#protocol = protocolOf(envoy.method);
    const send = (request: Buffer): void => void this.#send(request);
    this.#agent = new AgentRequests({ protocol: this.#protocol, watches, ...(health && { health }), send, log });
    envoy.signal.addEventListener('abort', () => this.#envoyLeft(), { once: true });
    envoy.receive(
      (message) => {
        const request = Buffer.from(message);
        const drained = this.#send(request);
        this.#agent.requested(request);
        if (!drained) this.#holdBack();
      },
      () => {
        this.#halfClosed = true;
        this.#controlPlane?.end();
      },
    );
    void this.#connect();
  }

  /** False where the control plane is slow. */
  #send(request: Buffer): boolean {
    this.#options.metrics.istio_agent_xds_proxy_requests.increment();
    this.#asked?.push(request);
    return this.#controlPlane?.write(request) ?? true;
  }

  #holdBack(): void {
    this.#envoy.pause();
    this.#controlPlane?.once('drain', () => this.#envoy.resume());
  }

  async #connect(): Promise<void> {
    const { target, credentials } = this.#options;
    try {
      const known = await credentials();
      if (this.#ended || this.#envoy.signal.aborted) return;
      // Files that are being written may hold anything, and are others at the next try.
      const metadata = callMetadata(target, known);
      const client = grpcClient(target, known);
      const controlPlane = client.makeBidiStreamRequest(this.#envoy.method, raw, raw, metadata);
      this.#controlPlane = controlPlane;
      this.#passAnswers(controlPlane, client);
      for (const request of this.#asked ?? []) controlPlane.write(request);
      if (this.#halfClosed) controlPlane.end();
    } catch (error) {
      this.#failed({ code: Status.UNAVAILABLE, details: error instanceof Error ? error.message : String(error) });
    }
  }

  #passAnswers(controlPlane: ClientDuplexStream<Buffer, Buffer>, client: Client): void {
    controlPlane.on('data', (message: Buffer) => this.#answered(message));
    // The status comes with an event of its own.
    controlPlane.on('error', () => undefined);
    controlPlane.on('status', (status: StatusObject) => {
      client.close();
      // Where Envoy is slow, the status comes before the last answers are passed on.
      if (controlPlane.readableLength === 0 || this.#envoy.signal.aborted) this.#failed(status);
      else controlPlane.once('end', () => this.#failed(status));
    });
  }

  #answered(message: Buffer): void {
    const { metrics, log, target, convertExtension } = this.#options;
    if (this.#asked) log.info(`xDS is passed on from ${target.address}`);
    this.#asked = undefined;
    metrics.istio_agent_xds_proxy_responses.increment();
    const type = this.#protocol.responseType(message);
    if (this.#agent.take(type, message)) return;
    if (type !== extensionType || !convertExtension) this.#pass(message);
    else {
      this.#extensions = this.#extensions
        .then(() => this.#protocol.withResources(message, convertExtension))
        .then(
          (converted) => this.#pass(converted),
          (error: unknown) => {
            log.warn('extensions are passed on as they are', { error });
            this.#pass(message);
          },
        );
    }
  }

  #pass(message: Buffer): void {
    if (this.#ended || this.#envoy.write(message)) return;
    this.#controlPlane?.pause();
    this.#envoy.onDrain(() => this.#controlPlane?.resume());
  }

  /** The control plane can't be called, or has ended its stream. */
  #failed({ code, details }: Pick<StatusObject, 'code' | 'details'>): void {
    if (this.#ended || this.#envoy.signal.aborted) return;
    const { metrics, log, target } = this.#options;
    const isRetried = this.#asked !== undefined && code === Status.UNAVAILABLE && !this.#halfClosed;
    metrics[
      this.#asked ? 'istio_agent_istiod_connection_failures' : 'istio_agent_istiod_connection_terminations'
    ].increment();
    log.warn(`the stream of ${target.address} has ended: ${details || `status ${code}`}`);
    if (isRetried) {
      this.#controlPlane = undefined;
      // It may have been held back by the stream that failed.
      this.#envoy.resume();
      this.#retry = setTimeout(() => void this.#connect(), retryDelay(++this.#failures));
      return;
    }
    this.#close();
    // Also an orderly end is none that Envoy asked for.
    const status = code === Status.OK ? Status.UNAVAILABLE : (code as StatusCode);
    this.#envoy.end({ code: status, message: details || 'the control plane has ended the stream' });
  }

  #envoyLeft(): void {
    if (!this.#ended) this.#options.metrics.istio_agent_envoy_connection_terminations.increment();
    this.#close();
    this.#controlPlane?.cancel();
  }

  #close(): void {
    this.#ended = true;
    this.#agent[Symbol.dispose]();
    clearTimeout(this.#retry);
  }
}
