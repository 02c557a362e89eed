import type { Logger } from '@kedge/observability';
import type { AgentRequest, Protocol } from './discovery-messages.ts';
import type { Watch } from './watch.ts';

const listenerType = 'type.googleapis.com/envoy.config.listener.v3.Listener';
const healthType = 'type.googleapis.com/istio.v1.HealthInformation';

/** Whether the workload is well; the reason where it isn't. */
export type Health = { readonly kind: 'healthy' } | { readonly kind: 'unhealthy'; readonly reason: string };

/** Where the health of the workload is known. */
export interface HealthSource {
  /** Undefined until it is known. */
  readonly current: Health | undefined;
  /** Tells of each change, until the result is disposed of. */
  subscribe(listener: (health: Health) => void): Disposable;
}

export interface AgentRequestsOptions {
  readonly protocol: Protocol;
  readonly watches: readonly Watch[];
  readonly health?: HealthSource;
  readonly send: (request: Buffer) => void;
  readonly log: Logger;
}

/**
 * The agent's own part of a stream. It starts once Envoy has asked for listeners, as then the control plane has answered what
 * traffic depends on first.
 */
export class AgentRequests implements Disposable {
  readonly #options: AgentRequestsOptions;
  readonly #watches: ReadonlyMap<string, Watch>;
  #health: Disposable | undefined;
  #started = false;

  constructor(options: AgentRequestsOptions) {
    this.#options = options;
    this.#watches = new Map(options.watches.map((watch) => [watch.typeUrl, watch]));
  }

  [Symbol.dispose](): void {
    this.#health?.[Symbol.dispose]();
  }

  /** To be told of each request of Envoy's after it was passed on. */
  requested(request: Uint8Array): void {
    const { protocol, send, health } = this.#options;
    if (this.#started || protocol.requestType(request) !== listenerType) return;
    this.#started = true;
    for (const typeUrl of this.#watches.keys()) send(protocol.encodeRequest({ typeUrl }));
    if (!health) return;
    const report = (state: Health): void => {
      const error = state.kind === 'unhealthy' ? { error: state.reason } : {};
      send(protocol.encodeRequest({ typeUrl: healthType, ...error }));
    };
    if (health.current) report(health.current);
    this.#health = health.subscribe(report);
  }

  /** Takes an answer of a type that the agent asked for; it is not for Envoy. */
  take(typeUrl: string | undefined, response: Uint8Array): boolean {
    const watch = typeUrl === undefined ? undefined : this.#watches.get(typeUrl);
    if (!watch) return typeUrl === healthType;
    const { protocol, send, log } = this.#options;
    let answer: AgentRequest = { typeUrl: watch.typeUrl };
    try {
      const { versionInfo, nonce, resources } = protocol.decodeResponse(response);
      answer = { ...answer, versionInfo, responseNonce: nonce };
      if (resources[0]) watch.accept(resources[0]);
      send(protocol.encodeRequest(answer));
    } catch (error) {
      log.warn(`what the control plane sent for the agent is not usable: ${watch.typeUrl}`, { error });
      send(protocol.encodeRequest({ ...answer, error: error instanceof Error ? error.message : String(error) }));
    }
    return true;
  }
}
