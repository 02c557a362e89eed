import { isOwnChain } from '../chain.ts';
import type { SavedState } from './state.ts';
import type { Lines } from './text.ts';
import type { IptablesRule } from './words.ts';

/**
 * What removes all that is ours, for `iptables-restore --noflush`: the jumps to our chains, rules of ours in others' chains
 * (which must be known to be there, for a transaction with a rule that isn't fails), then the chains.
 */
export function removalLines(state: SavedState, present: readonly IptablesRule[]): Lines {
  const entries = [
    ...state.jumps.map(({ table, rule }) => ({ table, line: `-D ${rule}` })),
    ...present.map(({ table, chain, words }) => ({ table, line: ['-D', chain, ...words].join(' ') })),
    ...state.chains.map(({ table, chain }) => ({ table, line: `-F ${chain}` })),
    ...state.chains.map(({ table, chain }) => ({ table, line: `-X ${chain}` })),
  ];
  const byTable = new Map<string, string[]>();
  for (const { table, line } of entries) {
    const lines = byTable.get(table);
    if (lines) lines.push(line);
    else byTable.set(table, [line]);
  }
  return byTable;
}

/** Rules of ours in others' chains that don't show by themselves whose they are. */
export function unmarkedRules(rules: readonly IptablesRule[]): readonly IptablesRule[] {
  return rules.filter(({ chain, words }) => !isOwnChain(chain) && !isOwnChain(words.at(-1) ?? ''));
}
