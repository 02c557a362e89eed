import type { Chain, Table } from './chain.ts';
import type { Family, PerFamily } from './family.ts';

export type Protocol = 'tcp' | 'udp';

/** The two ways to tell the kernel. Where they can't say the same, or say it in other words, a rule names one of them. */
export type Backend = 'iptables' | 'nft';

interface Negatable {
  readonly not?: boolean;
}

/** A condition on a packet. */
export type Match =
  | ({ readonly kind: 'in' | 'out'; readonly interface: string } & Negatable)
  /** Of `only` one backend where the other's port match implies the protocol. */
  | { readonly kind: 'protocol'; readonly protocol: Protocol; readonly only?: Backend }
  /** iptables' explicit module of a protocol, which has no effect of its own. */
  | { readonly kind: 'module'; readonly protocol: Protocol }
  | ({ readonly kind: 'source' | 'destination'; readonly addresses: PerFamily } & Negatable)
  | { readonly kind: 'destination-in-set'; readonly sets: PerFamily }
  | { readonly kind: 'connection-state'; readonly states: readonly string[] }
  | ({
      readonly kind: 'source-port' | 'destination-port';
      readonly protocol: Protocol;
      readonly ports: readonly string[];
    } & Negatable)
  | ({
      readonly kind: 'mark' | 'connection-mark';
      readonly value: string;
      readonly mask?: string;
      /** nft's words, where they aren't the usual ones. */
      readonly nft?: string;
    } & Negatable)
  | ({ readonly kind: 'user' | 'group'; readonly id: string } & Negatable)
  /** The packet was sent by a process of this host (iptables only). */
  | { readonly kind: 'local-socket' };

/** What becomes of a packet that meets all conditions. */
export type Verdict =
  | { readonly kind: 'jump'; readonly chain: Chain }
  | { readonly kind: 'return' | 'accept' | 'drop' }
  | { readonly kind: 'redirect'; readonly port: string }
  | { readonly kind: 'tproxy'; readonly port: string; readonly mark: string }
  | { readonly kind: 'set-mark'; readonly mark: string }
  /** Copies the packet's mark to its connection. */
  | { readonly kind: 'save-mark' }
  /** Copies the connection's mark to the packet; with a mask, that is said explicitly. */
  | { readonly kind: 'restore-mark'; readonly mask?: string }
  /** Sets the bits of the connection's mark that the mask names. */
  | { readonly kind: 'set-connection-mark'; readonly mark: number; readonly mask: number }
  | { readonly kind: 'conntrack-zone'; readonly zone: number }
  | { readonly kind: 'source-nat'; readonly addresses: PerFamily };

export interface Rule {
  readonly table: Table;
  readonly chain: Chain;
  /** In the order in which iptables writes them. */
  readonly matches: readonly Match[];
  readonly verdict: Verdict;
  /** Where to insert it, counted from 1; without it the rule is appended. */
  readonly position?: number;
  /** The families that have this rule; all where it isn't given. Addresses limit them further. */
  readonly families?: readonly Family[];
  /** The only backend that has this rule. */
  readonly only?: Backend;
  /** How nft orders the conditions: its usual order (interface, protocol, address, ...) unless it is as listed. */
  readonly nftOrder?: 'listed';
  /** Whether nft counts the packets; it does unless this is false. */
  readonly counted?: boolean;
}

/** A whole of rules that is applied, verified and removed together. */
export interface Ruleset {
  /** Whose it is; the nft tables are named after it. */
  readonly owner: 'istio-proxy' | 'istio-ambient';
  readonly families: readonly Family[];
  readonly rules: readonly Rule[];
}

/** The values of a rule that differ by family; a rule without any is the same in all. */
export function familyValues(rule: Rule): readonly PerFamily[] {
  const ofMatches = rule.matches.flatMap((match) => {
    if (match.kind === 'source' || match.kind === 'destination') return [match.addresses];
    return match.kind === 'destination-in-set' ? [match.sets] : [];
  });
  return rule.verdict.kind === 'source-nat' ? [...ofMatches, rule.verdict.addresses] : ofMatches;
}

/** The families in which a rule exists, of those that are in use. */
export function familiesOf(rule: Rule, inUse: readonly Family[]): readonly Family[] {
  return inUse.filter(
    (family) =>
      (rule.families?.includes(family) ?? true) && familyValues(rule).every((value) => value[family] !== undefined),
  );
}

/** The rules of one backend. */
export function rulesOf(ruleset: Ruleset, backend: Backend): readonly Rule[] {
  return ruleset.rules.filter(({ only }) => only === undefined || only === backend);
}

/** Their conditions for one backend. */
export function matchesOf(rule: Rule, backend: Backend): readonly Match[] {
  return rule.matches.filter((match) => match.kind !== 'protocol' || (match.only ?? backend) === backend);
}
