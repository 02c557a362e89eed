import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { proxyConfig } from '@kedge/pushcontext';

/** Whether upstreams are told how often a request was tried. */
export const includesAttemptCount = query(
  'includesAttemptCount',
  (read: MeshRead) => !proxyConfig(read, 'proxyHeaders')?.attemptCount?.disabled,
);

/** Whether upstreams are told the host that a rewritten request was for. */
export const forwardsHost = query('forwardsHost', (read: MeshRead) =>
  Boolean(proxyConfig(read, 'proxyHeaders')?.xForwardedHost?.enabled),
);
