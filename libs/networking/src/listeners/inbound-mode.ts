import type { MeshRead } from '@kedge/config';
import { configNamespace, modeBySelector, type MutualTlsMode, portsOfPolicy, proxyMatches } from '@kedge/pushcontext';

/** How the proxy's workload takes connections on a port, or on ports that no policy names. */
export function inboundMode(read: MeshRead, port?: number): MutualTlsMode {
  return modeBySelector(read, read.fact(configNamespace), (selector) => proxyMatches(read, selector), port);
}

/** The ports that the policy for the workload names. */
export function portsOfInboundPolicy(read: MeshRead): readonly number[] {
  return portsOfPolicy(read, read.fact(configNamespace), (selector) => proxyMatches(read, selector));
}
