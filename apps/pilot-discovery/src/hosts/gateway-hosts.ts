import { DisposableStore } from '@kedge/incremental';
import { hostsOfGateways } from '@kedge/networking';
import type { Logger } from '@kedge/observability';
import { resolvedHostsSource } from '@kedge/pushcontext';
import type { ControlPlane } from '../control-plane.ts';
import { meshObserver } from '../mesh-observer.ts';
import { HostResolver } from './host-resolver.ts';
import type { LookupHost } from './lookup.ts';

export interface GatewayHostsOptions {
  readonly plane: ControlPlane;
  readonly lookup: LookupHost;
  readonly log: Logger;
}

/** Resolves the gateways between networks that are named by host, for endpoints of Envoy are addresses. */
export class GatewayHosts implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #resolver: HostResolver;

  constructor({ plane, lookup, log }: GatewayHostsOptions) {
    this.#resolver = this.#owned.add(
      new HostResolver({
        lookup,
        changed: (host, addresses = []) =>
          plane.amend((edit) => {
            edit.set(resolvedHostsSource, host, addresses.length > 0 ? addresses : undefined);
          }, 'networks'),
        unresolved: (host, error) => log.warn('a gateway between networks has no address', { host, error }),
      }),
    );
    const follow = () => this.#resolver.follow(plane.server.snapshot.evaluate(meshObserver, hostsOfGateways));
    this.#owned.add(
      plane.observe(({ kind }) => {
        if (kind === 'pushStarted') follow();
      }),
    );
    follow();
  }

  /** When each gateway that is named by a host has been asked for once. */
  settled(): Promise<void> {
    return this.#resolver.settled();
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
