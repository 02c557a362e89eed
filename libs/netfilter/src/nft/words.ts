import { type Chain, nftChain, type Table } from '../chain.ts';
import type { Family } from '../family.ts';
import {
  familiesOf,
  familyValues,
  type Match,
  matchesOf,
  type Rule,
  type Ruleset,
  rulesOf,
  type Verdict,
} from '../rule.ts';

/** A rule in nft's words. */
export interface NftRule {
  readonly table: string;
  readonly chain: string;
  /** Where to insert it, counted from 0; without it the rule is appended. */
  readonly index?: number;
  readonly text: string;
}

export interface ChainRule extends NftRule {
  readonly of: { readonly table: Table; readonly chain: Chain; readonly jumpsTo?: Chain };
}

/** The rules as nft has them: one table for all families, so a rule that differs by family becomes one for each. */
export function nftRules(ruleset: Ruleset): readonly ChainRule[] {
  return rulesOf(ruleset, 'nft').flatMap((rule) => {
    const families = familiesOf(rule, ruleset.families);
    const lines = familyValues(rule).length > 0 ? families : families.slice(0, 1);
    return lines.map((family) => ({
      table: nftTable(ruleset.owner, rule.table),
      chain: nftChain(rule.chain),
      ...(rule.position !== undefined && { index: rule.position - 1 }),
      text: ruleText(rule, family),
      of: {
        table: rule.table,
        chain: rule.chain,
        ...(rule.verdict.kind === 'jump' && { jumpsTo: rule.verdict.chain }),
      },
    }));
  });
}

export function nftTable(owner: Ruleset['owner'], table: Table): string {
  return `${owner}-${table}`;
}

/** nft's usual order of conditions, whatever that of the description, which is iptables'. */
const ranks = {
  in: 0,
  out: 0,
  protocol: 1,
  module: 1,
  source: 2,
  destination: 2,
  'destination-in-set': 2,
  'connection-state': 3,
  'source-port': 4,
  'destination-port': 4,
  mark: 5,
  'connection-mark': 5,
  user: 6,
  group: 6,
  'local-socket': 6,
} as const satisfies Record<Match['kind'], number>;

function ruleText(rule: Rule, family: Family): string {
  const listed = matchesOf(rule, 'nft');
  const matches = rule.nftOrder === 'listed' ? listed : listed.toSorted((a, b) => ranks[a.kind] - ranks[b.kind]);
  // The raw table's rules name the selectors of `meta` in full.
  const meta = rule.table === 'raw' ? 'meta ' : '';
  const conditions = matches.map((match) => matchText(match, family, meta)).filter((text) => text !== '');
  const { verdict } = rule;
  if (verdict.kind === 'tproxy') {
    const ip = family === 'ipv4' ? 'ip' : 'ip6';
    return [...conditions, `tproxy ${ip} to :${verdict.port} meta mark set ${verdict.mark} counter accept`].join(' ');
  }
  const counter = rule.counted === false ? [] : ['counter'];
  return [...conditions, ...counter, verdictText(verdict, family)].join(' ');
}

const compared = ({ not }: { readonly not?: boolean }, value: string): string => (not ? `!= ${value}` : value);
const ipOf = (family: Family): string => (family === 'ipv4' ? 'ip' : 'ip6');

function matchText(match: Match, family: Family, meta: string): string {
  switch (match.kind) {
    case 'in':
      return `iifname ${compared(match, interfaceName(match.interface))}`;
    case 'out':
      return `oifname ${compared(match, interfaceName(match.interface))}`;
    case 'protocol':
      return `meta l4proto ${match.protocol}`;
    // nft loads nothing.
    case 'module':
    case 'local-socket':
      return '';
    case 'source':
      return `${ipOf(family)} saddr ${compared(match, match.addresses[family]!)}`;
    case 'destination':
      return `${ipOf(family)} daddr ${compared(match, match.addresses[family]!)}`;
    case 'destination-in-set':
      return `${ipOf(family)} daddr @${match.sets[family]!}`;
    case 'connection-state':
      return `ct state ${match.states.join(',')}`;
    case 'source-port':
      return `${match.protocol} sport ${compared(match, portSet(match.ports))}`;
    case 'destination-port':
      return `${match.protocol} dport ${compared(match, portSet(match.ports))}`;
    case 'mark':
      return match.nft ?? `${meta}mark ${masked(match)}`;
    case 'connection-mark':
      return match.nft ?? `ct mark ${masked(match)}`;
    case 'user':
      return `${meta}skuid ${compared(match, match.id)}`;
    case 'group':
      return `${meta}skgid ${compared(match, match.id)}`;
  }
}

function masked(match: { readonly value: string; readonly mask?: string; readonly not?: boolean }): string {
  if (match.mask === undefined) return compared(match, match.value);
  return `and ${match.mask} ${match.not ? '!=' : '=='} ${match.value}`;
}

/** A range of ports is `8000:8010` to iptables and `8000-8010` to nft. */
function portSet(ports: readonly string[]): string {
  const texts = ports.map((port) => port.replace(':', '-'));
  return texts.length === 1 ? texts[0]! : `{ ${texts.join(', ')} }`;
}

/** Names that nft's grammar doesn't take bare are quoted; a trailing `+`, iptables' wildcard, is `*` to nft. */
function interfaceName(name: string): string {
  if (/^[a-z][\w.-]*$/i.test(name)) return name;
  return `"${name.replace(/\+$/, '*')}"`;
}

function verdictText(verdict: Exclude<Verdict, { readonly kind: 'tproxy' }>, family: Family): string {
  switch (verdict.kind) {
    case 'jump':
      return `jump ${nftChain(verdict.chain)}`;
    case 'return':
    case 'accept':
    case 'drop':
      return verdict.kind;
    case 'redirect':
      return `redirect to :${verdict.port}`;
    case 'set-mark':
      return `meta mark set ${verdict.mark}`;
    case 'save-mark':
      return 'ct mark set mark';
    case 'restore-mark':
      return 'meta mark set ct mark';
    case 'set-connection-mark': {
      const kept = (~verdict.mask >>> 0).toString(16);
      return `ct mark set ct mark & 0x${kept} |  0x${verdict.mark.toString(16)}`;
    }
    case 'conntrack-zone':
      return `ct zone set ${verdict.zone}`;
    case 'source-nat':
      return `snat to ${verdict.addresses[family]!}`;
  }
}
