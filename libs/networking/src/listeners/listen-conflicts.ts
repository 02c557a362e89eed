import { isHttp, isTcp, type Protocol } from '@kedge/model';
import { networkKey, withoutClashes } from './clashes.ts';
import type { Binding, OutboundChainPlan, OutboundListenerPlan } from './listener-plan.ts';
import { listenerName } from './listener-plan.ts';

/** What a listener's chains make of connections: only HTTP, only bytes, or they look first. */
export type Manner = 'http' | 'tcp' | 'auto';

/** A service's wish for chains on an address and port. */
export interface Claim {
  readonly binding: Binding;
  readonly port: number;
  readonly protocol: Protocol;
  /** The manner that the listener has with these chains alone. */
  readonly manner: Manner;
  /** The manner by which conflicts are decided; differs for HTTP on an address where other protocols may come too. */
  readonly claims: Manner | 'http-proxy';
  /** Made only where they are needed. */
  readonly http: () => readonly OutboundChainPlan[];
  readonly tcp: () => readonly OutboundChainPlan[];
}

/** What happens to a claim on an address that has a listener already. */
type Decision = 'keep' | 'replace' | 'merge' | 'merge-tcp';

/** By the manner of the listener, then by that of the claim. HTTP listeners share their routes, so one is enough. */
const DECISIONS: Readonly<Record<Manner, Readonly<Record<Manner, Decision>>>> = {
  http: { http: 'keep', tcp: 'merge', auto: 'replace' },
  tcp: { http: 'merge', tcp: 'merge', auto: 'merge' },
  auto: { http: 'keep', tcp: 'merge', auto: 'merge-tcp' },
};

/** Protocols whose servers speak first. Looking at what the client says would wait forever. */
const SERVER_FIRST: ReadonlySet<string> = new Set<Protocol>(['MONGO', 'MYSQL']);

interface Entry {
  readonly binding: Binding;
  readonly port: number;
  manner: Manner;
  /** The protocol of all its chains; undefined once it looks for itself. */
  protocol: Protocol | undefined;
  chains: readonly OutboundChainPlan[];
  /** Set once a Sidecar's listener has this address for itself. */
  locked: boolean;
}

/** Listeners by address and port, as claims come in. Those who come first keep what they have. */
export class ListenerTable {
  readonly #entries = new Map<string, Entry>();

  /** From here on no one adds to the listeners that are there. */
  lock(): void {
    for (const entry of this.#entries.values()) entry.locked = true;
  }

  add(claim: Claim): void {
    const key = listenerName(claim.binding.addresses[0] ?? '', claim.port);
    const entry = this.#entries.get(key);
    if (entry?.locked) return;
    if (!entry || claim.claims === 'http-proxy') {
      this.#entries.set(key, asEntry(claim));
      return;
    }
    const decision = DECISIONS[entry.manner][claim.claims];
    if (decision === 'keep' || isIncompatible(entry.protocol, claim.protocol)) return;
    if (decision === 'replace') {
      this.#entries.set(key, asEntry(claim));
      return;
    }
    const chains = decision === 'merge-tcp' ? claim.tcp() : chainsOf(claim);
    entry.chains = merged(entry.chains, chains);
    if (claim.claims !== entry.manner) entry.manner = 'auto';
    if (entry.manner === 'auto') entry.protocol = undefined;
  }

  list(): readonly OutboundListenerPlan[] {
    return [...this.#entries.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { binding, port, chains }]) => ({ name, binding, port, chains: withoutClashes(chains) }));
  }
}

const chainsOf = (claim: Claim): readonly OutboundChainPlan[] => [...claim.tcp(), ...claim.http()];

function asEntry(claim: Claim): Entry {
  const { binding, port, manner } = claim;
  const protocol = manner === 'auto' ? undefined : claim.protocol;
  return { binding, port, manner, protocol, chains: chainsOf(claim), locked: false };
}

function isIncompatible(a: Protocol | undefined, b: Protocol): boolean {
  return a !== b && (SERVER_FIRST.has(a ?? '') || SERVER_FIRST.has(b));
}

/** Chains of both, without those that take the same connections as one that is there. */
function merged(
  present: readonly OutboundChainPlan[],
  incoming: readonly OutboundChainPlan[],
): readonly OutboundChainPlan[] {
  const result = [...present];
  const taken = new Set(present.map(matchKey));
  for (const chain of incoming) {
    const key = matchKey(chain);
    if (taken.has(key)) continue;
    taken.add(key);
    result.push(chain);
  }
  return result;
}

/** Equal for matches that take the same connections, however they are written. */
function matchKey({ match }: OutboundChainPlan): string {
  const names = [...new Set(match.serverNames.filter((name) => name !== '*'))].sort();
  const ranges = [...new Set(match.ranges.map(networkKey).filter((range) => range !== '*'))].sort();
  return JSON.stringify([match.http, names, ranges]);
}

/** The manner in which a port of a protocol is served; undefined for protocols that proxies don't carry. */
export function mannerOf(protocol: Protocol): Manner | undefined {
  if (isHttp(protocol)) return 'http';
  if (isTcp(protocol)) return 'tcp';
  return protocol === 'UDP' ? undefined : 'auto';
}
