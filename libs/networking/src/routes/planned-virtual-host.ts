import type { ConsistentHashLB, Hostname } from '@kedge/model';
import type { CatchAll } from './catch-all.ts';
import type { SessionPolicy } from './session-policy.ts';

/** Where the routes of a virtual host come from. */
export type RouteSource =
  | { readonly kind: 'service'; readonly host: Hostname; readonly port: number; readonly hash?: ConsistentHashLB }
  | {
      readonly kind: 'virtual-service';
      readonly namespace: string;
      readonly name: string;
      /** The listener that it is asked for; see `listenerKey`. */
      readonly listener: string;
      readonly port: number;
    }
  | { readonly kind: 'catch-all'; readonly fallback: CatchAll; readonly forwardsHost: boolean };

/** All that must be known to make a virtual host, save what its source says by itself. */
export interface PlannedVirtualHost {
  readonly name: string;
  readonly domains: readonly string[];
  readonly source: RouteSource;
  readonly session?: SessionPolicy;
  /** Upstreams are told how often a request was tried. */
  readonly attemptCount: boolean;
}

/** A planned virtual host as text: what its piece is filed under, so that all who plan the same share it. */
export type PlanEntry = string;

export const planEntry = (planned: PlannedVirtualHost): PlanEntry => JSON.stringify(planned);
export const readPlanEntry = (entry: PlanEntry): PlannedVirtualHost => JSON.parse(entry) as PlannedVirtualHost;
