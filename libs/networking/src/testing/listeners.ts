import type { Proxy } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { messagesOf } from './mesh.ts';
import { sidecarListeners } from '../listeners/sidecar-listeners.ts';

/* Listeners in tests: loosely typed, for a test looks at what it expects to be there. */

export interface TestFilter {
  readonly name: string;
  readonly typedConfig: Readonly<Record<string, unknown>>;
}

export interface TestChain {
  readonly name?: string;
  readonly filterChainMatch?: Readonly<Record<string, unknown>>;
  readonly filters: readonly TestFilter[];
  readonly transportSocket?: { readonly typedConfig: Readonly<Record<string, unknown>> };
  readonly metadata?: unknown;
}

export interface TestListener {
  readonly filterChains: readonly TestChain[];
  readonly defaultFilterChain?: TestChain;
  readonly listenerFilters?: readonly { readonly name: string; readonly filterDisabled?: unknown }[];
  readonly [field: string]: unknown;
}

/** The listeners of a sidecar by name. */
export function listenersOf(push: PushContext, proxy: Proxy): Readonly<Record<string, TestListener>> {
  return messagesOf(push.evaluate(proxy, sidecarListeners)) as unknown as Readonly<Record<string, TestListener>>;
}

/** What a chain ends in: routes by name, `inline` for routes of its own, or clusters. */
export function targetOf(chain: TestChain | undefined): string {
  const config = chain?.filters.at(-1)?.typedConfig ?? {};
  const { rds, routeConfig, cluster, weightedClusters } = config as {
    rds?: { routeConfigName: string };
    routeConfig?: unknown;
    cluster?: string;
    weightedClusters?: { clusters: readonly { name: string; weight: number }[] };
  };
  if (rds) return `routes ${rds.routeConfigName}`;
  if (routeConfig) return 'inline';
  return cluster ?? weightedClusters?.clusters.map(({ name, weight }) => `${weight} ${name}`).join(', ') ?? '';
}
