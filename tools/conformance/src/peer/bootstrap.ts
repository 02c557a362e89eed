import { runBootstrapPeerCases } from '@kedge/pilot-agent/peer-cases';
import type { PeerResult } from '../peer.ts';

/** Bootstraps of the agent, and the tags that its rules find in names of statistics. */
export async function runBootstrap(dir: string): Promise<PeerResult> {
  const results = await runBootstrapPeerCases(dir);
  return {
    cases: results.length,
    equal: results.filter(({ equal }) => equal).length,
    failures: results.filter(({ equal }) => !equal).map(({ name, difference }) => `${name}: ${difference ?? ''}`),
  };
}
