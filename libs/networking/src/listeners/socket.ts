import type { MeshRead } from '@kedge/config';
import type { Listener } from '@kedge/envoy-api';
import { features } from '@kedge/pushcontext';

/** How many connections a worker accepts before it looks at others; only for listeners with a port of their own. */
export function socketLimits(read: MeshRead): Listener {
  const limit = features(read).maxConnectionsPerSocketEvent;
  return limit > 0 ? { maxConnectionsToAcceptPerSocketEvent: limit } : {};
}

/** Whether connections are dealt out to workers evenly, as the proxy states it. */
export function exactBalance(stated: string | undefined): Listener {
  return stated === 'true' || stated === '1' ? { connectionBalanceConfig: { exactBalance: {} } } : {};
}
