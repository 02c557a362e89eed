/** The chains of an owner's tables, each with the number of its rules, as a text that is equal where they are. */
type Shape = string;

/** Of what `nft list ruleset` says. */
export function listedShape(text: string, owner: string): Shape {
  const counts = new Map<string, number>();
  let table = '';
  let chain = '';
  for (const line of text.split('\n')) {
    const [, family, name] = /^table (\S+) (\S+) \{/.exec(line) ?? [];
    if (name !== undefined) table = family === 'inet' && name.startsWith(`${owner}-`) ? name : '';
    const [, started] = /^\tchain (\S+) \{/.exec(line) ?? [];
    if (started !== undefined) chain = `${table} ${started}`;
    if (table === '' || !chain.startsWith(`${table} `)) continue;
    // The first line of a base chain says where it is hooked in.
    const isRule = line.startsWith('\t\t') && !/^\t\ttype \S+ hook /.test(line);
    counts.set(chain, (counts.get(chain) ?? 0) + (isRule ? 1 : 0));
  }
  return print(counts);
}

/** Of what a transaction makes. */
export function wantedShape(transaction: string): Shape {
  const counts = new Map<string, number>();
  for (const [, object, chain] of transaction.matchAll(/^(?:add|insert) (chain|rule) inet (\S+ \S+)/gm)) {
    counts.set(chain!, (counts.get(chain!) ?? 0) + (object === 'rule' ? 1 : 0));
  }
  return print(counts);
}

function print(counts: ReadonlyMap<string, number>): Shape {
  return [...counts]
    .map(([chain, rules]) => `${chain} ${rules}`)
    .sort()
    .join('\n');
}
