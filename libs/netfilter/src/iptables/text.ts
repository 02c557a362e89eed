import type { IptablesRule } from './words.ts';

/** Chains and targets that iptables has without being told. */
const builtIn = new Set(['INPUT', 'OUTPUT', 'FORWARD', 'PREROUTING', 'POSTROUTING', 'ACCEPT', 'RETURN', 'DROP']);

interface ChainOfTable {
  readonly table: string;
  readonly chain: string;
}

/** The chains of our own that rules need: first those which have rules, then those which are only jumped to. */
export function neededChains(rules: readonly IptablesRule[]): readonly ChainOfTable[] {
  const targets = rules
    // A target with options of its own, such as `REDIRECT --to-ports 15001`, is none of ours.
    .filter(({ words }) => words.at(-2) === '-j')
    .map(({ table, words }) => ({ table, chain: words.at(-1)! }));
  const found = new Map<string, ChainOfTable>();
  for (const { table, chain } of [...rules, ...targets]) {
    const key = `${table} ${chain}`;
    if (!builtIn.has(chain) && !found.has(key)) found.set(key, { table, chain });
  }
  return [...found.values()];
}

function appendOrInsert({ chain, position, words }: IptablesRule): readonly string[] {
  return position === undefined ? ['-A', chain, ...words] : ['-I', chain, String(position), ...words];
}

/** Lines of `iptables-restore`, by table. */
export type Lines = ReadonlyMap<string, readonly string[]>;

/** What makes the rules, for `iptables-restore --noflush`. */
export function restoreLines(rules: readonly IptablesRule[]): Lines {
  const lines = [
    ...neededChains(rules).map(({ table, chain }) => ({ table, line: `-N ${chain}` })),
    ...rules.map((rule) => ({ table: rule.table, line: appendOrInsert(rule).join(' ') })),
  ];
  return new Map(
    Object.entries(Object.groupBy(lines, ({ table }) => table)).map(([table, of]) => [
      table,
      of!.map(({ line }) => line),
    ]),
  );
}

/** The input of `iptables-restore`: one transaction for each table, in alphabetical order; parts follow each other. */
export function restoreText(...parts: readonly Lines[]): string {
  const tables = [...new Set(parts.flatMap((lines) => [...lines.keys()]))].sort();
  return tables
    .map((table) => [`* ${table}`, ...parts.flatMap((lines) => lines.get(table) ?? []), 'COMMIT', ''].join('\n'))
    .join('');
}

/** The same as arguments of one `iptables` call each. */
export function commandArguments(rules: readonly IptablesRule[]): readonly (readonly string[])[] {
  return [
    ...neededChains(rules.map((rule) => ({ ...rule, words: [] }))).map(({ table, chain }) => [
      '-t',
      table,
      '-N',
      chain,
    ]),
    ...rules.map((rule) => ['-t', rule.table, ...appendOrInsert(rule)]),
  ];
}

/** The arguments that ask whether a rule is there. */
export function checkArguments({ table, chain, words }: IptablesRule): readonly string[] {
  return ['-t', table, '-C', chain, ...words];
}
