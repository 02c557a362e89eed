import { isOwnChain } from '../chain.ts';
import { neededChains } from './text.ts';
import type { IptablesRule } from './words.ts';

/** Our part of what `iptables-save` says. */
export interface SavedState {
  readonly chains: readonly SavedChain[];
  /** Rules in others' chains that jump to ours, as they are written there. */
  readonly jumps: readonly { readonly table: string; readonly rule: string }[];
}

export interface SavedChain {
  readonly table: string;
  readonly chain: string;
  readonly rules: number;
}

/** Reads the output of `iptables-save` (or the input of `iptables-restore`). */
export function parseSaved(text: string): SavedState {
  const counts = new Map<string, SavedChain>();
  const jumps: { table: string; rule: string }[] = [];
  let table = '';
  for (const line of text.split('\n').map((each) => each.trim())) {
    const [, name] = /^\*\s*(\S+)$/.exec(line) ?? [];
    if (name !== undefined) table = name;
    const [, declared] = /^(?::|-N )(\S+)/.exec(line) ?? [];
    const [, chain, rule] = /^-[AI] (\S+)(?: (.*))?$/.exec(line) ?? [];
    const own = declared ?? chain;
    if (own !== undefined && isOwnChain(own)) {
      const key = `${table} ${own}`;
      const rules = counts.get(key)?.rules ?? 0;
      counts.set(key, { table, chain: own, rules: rules + (chain === undefined ? 0 : 1) });
    } else if (chain !== undefined && /(^| )(-j|-g) ISTIO_/.test(rule ?? '')) {
      jumps.push({ table, rule: `${chain} ${rule}` });
    }
  }
  return { chains: [...counts.values()], jumps };
}

/** Whether anything of ours is there. */
export function hasResidue({ chains, jumps }: SavedState): boolean {
  return chains.length > 0 || jumps.length > 0;
}

/** Whether our chains are those that the rules need, each with as many rules; the rules themselves are to be asked for. */
export function hasShapeOf(state: SavedState, rules: readonly IptablesRule[]): boolean {
  const describe = (chains: readonly SavedChain[]) =>
    chains
      .map(({ table, chain, rules: count }) => `${table} ${chain} ${count}`)
      .sort()
      .join('\n');
  const needed = neededChains(rules).map(({ table, chain }) => ({
    table,
    chain,
    rules: rules.filter((rule) => rule.table === table && rule.chain === chain).length,
  }));
  return describe(state.chains) === describe(needed);
}
