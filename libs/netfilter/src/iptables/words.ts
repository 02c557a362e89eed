import type { Family } from '../family.ts';
import { familiesOf, type Match, matchesOf, type Rule, type Ruleset, rulesOf, type Verdict } from '../rule.ts';

/** A rule of one family in iptables' words, without table, chain and position. */
export interface IptablesRule {
  readonly table: string;
  readonly chain: string;
  /** Where to insert it, counted from 1; without it the rule is appended. */
  readonly position?: number;
  readonly words: readonly string[];
}

/** The rules of one family; none if the ruleset doesn't have the family. */
export function iptablesRules(ruleset: Ruleset, family: Family): readonly IptablesRule[] {
  return rulesOf(ruleset, 'iptables')
    .filter((rule) => familiesOf(rule, ruleset.families).includes(family))
    .map((rule) => ({
      table: rule.table,
      chain: rule.chain,
      ...(rule.position !== undefined && { position: rule.position }),
      words: ruleWords(rule, family),
    }));
}

function ruleWords(rule: Rule, family: Family): readonly string[] {
  const matches = matchesOf(rule, 'iptables');
  const isUdp = matches.some((match) => match.kind === 'protocol' && match.protocol === 'udp');
  return [...matches.flatMap((match) => matchWords(match, family)), '-j', ...verdictWords(rule.verdict, family, isUdp)];
}

const bang = ({ not }: { readonly not?: boolean }): readonly string[] => (not ? ['!'] : []);
const masked = (value: string, mask: string | undefined): string => (mask === undefined ? value : `${value}/${mask}`);

function matchWords(match: Match, family: Family): readonly string[] {
  switch (match.kind) {
    case 'in':
      return [...bang(match), '-i', match.interface];
    case 'out':
      return [...bang(match), '-o', match.interface];
    case 'protocol':
      return ['-p', match.protocol];
    case 'module':
      return ['-m', match.protocol];
    case 'source':
      return [...bang(match), '-s', match.addresses[family]!];
    case 'destination':
      return [...bang(match), '-d', match.addresses[family]!];
    case 'destination-in-set':
      return ['-m', 'set', '--match-set', match.sets[family]!, 'dst'];
    case 'connection-state':
      return ['-m', 'conntrack', '--ctstate', match.states.join(',').toUpperCase()];
    case 'source-port':
      return portWords('--sport', match.ports, bang(match));
    case 'destination-port':
      return portWords('--dport', match.ports, bang(match));
    case 'mark':
      return ['-m', 'mark', ...bang(match), '--mark', masked(match.value, match.mask)];
    case 'connection-mark':
      return ['-m', 'connmark', ...bang(match), '--mark', masked(match.value, match.mask)];
    case 'user':
      return ['-m', 'owner', ...bang(match), '--uid-owner', match.id];
    case 'group':
      return ['-m', 'owner', ...bang(match), '--gid-owner', match.id];
    case 'local-socket':
      return ['-m', 'owner', '--socket-exists'];
  }
}

function portWords(option: string, ports: readonly string[], negation: readonly string[]): readonly string[] {
  if (ports.length === 1) return [...negation, option, ports[0]!];
  return ['-m', 'multiport', ...negation, `${option}s`, ports.join(',')];
}

function verdictWords(verdict: Verdict, family: Family, isUdp: boolean): readonly string[] {
  switch (verdict.kind) {
    case 'jump':
      return [verdict.chain];
    case 'return':
    case 'accept':
    case 'drop':
      return [verdict.kind.toUpperCase()];
    case 'redirect':
      return ['REDIRECT', isUdp ? '--to-port' : '--to-ports', verdict.port];
    case 'tproxy':
      return ['TPROXY', '--tproxy-mark', `${verdict.mark}/0xffffffff`, '--on-port', verdict.port];
    case 'set-mark':
      return ['MARK', '--set-mark', verdict.mark];
    case 'save-mark':
      return ['CONNMARK', '--save-mark'];
    case 'restore-mark':
      return [
        'CONNMARK',
        '--restore-mark',
        ...(verdict.mask === undefined ? [] : ['--nfmask', verdict.mask, '--ctmask', verdict.mask]),
      ];
    case 'set-connection-mark':
      return ['CONNMARK', '--set-xmark', `0x${verdict.mark.toString(16)}/0x${verdict.mask.toString(16)}`];
    case 'conntrack-zone':
      return ['CT', '--zone', String(verdict.zone)];
    case 'source-nat':
      return ['SNAT', '--to-source', verdict.addresses[family]!];
  }
}
