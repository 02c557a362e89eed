import type { AgentEnvironment } from '../environment.ts';

/** A sidecar answers where DNS is captured, any proxy where it is told to. */
export function servesDns({ dnsCapture, dnsServer }: AgentEnvironment, isSidecar: boolean): boolean {
  return (dnsCapture && isSidecar) || dnsServer;
}
