import { chains, hookOf, nftChain, tables } from '../chain.ts';
import type { Ruleset } from '../rule.ts';
import { type ChainRule, type NftRule, nftRules, nftTable } from './words.ts';

/**
 * The rules as commands of nft, an object a line, for `nft -f -`, which applies all or nothing. Tables are flushed first,
 * so that applying twice is the same as applying once; only chains that are used are made.
 */
export function nftTransaction(ruleset: Ruleset): string {
  const rules = nftRules(ruleset);
  return tables
    .map((table) => ({
      name: nftTable(ruleset.owner, table),
      table,
      of: rules.filter((rule) => rule.of.table === table),
    }))
    .filter(({ of }) => of.length > 0)
    .flatMap(({ name, table, of }) => [
      `add table inet ${name}`,
      `flush table inet ${name}`,
      ...usedChains(of).map((chain) => {
        const hook = hookOf(chain, table);
        return `add chain inet ${name} ${nftChain(chain)}${hook === undefined ? '' : ` { ${hook} }`}`;
      }),
      ...ruleLines(of),
    ])
    .join('\n');
}

function usedChains(rules: readonly ChainRule[]) {
  return chains.filter((chain) => rules.some(({ of }) => of.chain === chain || of.jumpsTo === chain));
}

/** The commands that make rules. nft can't insert at or beyond the end of a chain, so there an insertion appends. */
export function ruleLines(rules: readonly NftRule[]): readonly string[] {
  const lengths = new Map<string, number>();
  return rules.map(({ table, chain, index, text }) => {
    const length = lengths.get(chain) ?? 0;
    lengths.set(chain, length + 1);
    return index === undefined || index >= length
      ? `add rule inet ${table} ${chain} ${text}`
      : `insert rule inet ${table} ${chain} index ${index} ${text}`;
  });
}

/** Removes all tables of an owner. Only what exists can be deleted, so each is added first. */
export function nftRemoval(owner: Ruleset['owner']): string {
  return tables
    .map((table) => nftTable(owner, table))
    .flatMap((name) => [`add table inet ${name}`, `delete table inet ${name}`])
    .join('\n');
}
