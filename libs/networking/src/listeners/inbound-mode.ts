import type { MeshRead } from '@kedge/config';
import {
  configNamespace,
  modeBySelector,
  type MutualTlsMode,
  portsWithOwnMode,
  proxyMatches,
} from '@kedge/pushcontext';

/** How the proxy's workload takes connections on a port, or on ports that no policy names. */
export function inboundMode(read: MeshRead, port?: number): MutualTlsMode {
  return modeBySelector(read, read.fact(configNamespace), (selector) => proxyMatches(read, selector), port);
}

/** The ports for which a policy says something of its own. */
export function portsWithInboundMode(read: MeshRead): readonly number[] {
  return portsWithOwnMode(read, read.fact(configNamespace), (selector) => proxyMatches(read, selector));
}
