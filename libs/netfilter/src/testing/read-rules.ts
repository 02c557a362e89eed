import type { Family } from '../family.ts';

/**
 * A rule as a reader of the text understands it, whichever language it is written in: conditions in no order, and what
 * becomes of the packet.
 */
export interface ReadRule {
  /** Table and chain, by nft's names. */
  readonly chain: string;
  readonly conditions: readonly string[];
  readonly verdict: string;
}

interface Line {
  readonly chain: string;
  /** Where it is inserted, counted from 0. */
  readonly index?: number;
  readonly text: string;
}

/** The rules of each chain in their order, insertions made. Fails where a chain isn't declared or an index is wrong. */
function inOrder(lines: readonly Line[], declared: ReadonlySet<string>): readonly Line[] {
  const chains = new Map<string, Line[]>();
  for (const line of lines) {
    if (!declared.has(line.chain)) throw new Error(`chain ${line.chain} is not declared`);
    const rules = chains.get(line.chain) ?? [];
    chains.set(line.chain, rules);
    if (line.index !== undefined && line.index > rules.length)
      throw new Error(`${line.chain}: nothing at ${line.index}`);
    rules.splice(line.index ?? rules.length, 0, line);
  }
  return [...chains.values()].flat();
}

const kernelChains = ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'];
const nftNames: Readonly<Record<string, string>> = {
  ISTIO_PRERT: 'istio-prerouting',
  ISTIO_POSTRT: 'istio-postrouting',
};
const nftName = (chain: string) => nftNames[chain] ?? chain.toLowerCase().replaceAll('_', '-');

/** Reads the input of `iptables-restore`. */
export function readIptables(text: string): readonly ReadRule[] {
  const lines: Line[] = [];
  const declared = new Set<string>();
  let table = '';
  for (const line of text.split('\n').filter((each) => each !== '' && each !== 'COMMIT')) {
    const words = line.split(' ');
    const chain = `${table}/${nftName(words[1]!)}`;
    if (words[0] === '*') {
      table = words[1]!;
      for (const own of kernelChains) declared.add(`${table}/${nftName(own)}`);
    } else if (words[0] === '-N') declared.add(chain);
    else if (words[0] === '-A') lines.push({ chain, text: words.slice(2).join(' ') });
    else if (words[0] === '-I') lines.push({ chain, index: Number(words[2]) - 1, text: words.slice(3).join(' ') });
    else throw new Error(`not understood: ${line}`);
  }
  return inOrder(lines, declared).map(({ chain, text: rule }) => iptablesRule(chain, rule, declared));
}

const iptablesConditions: Readonly<Record<string, string>> = {
  '-i': 'in',
  '-o': 'out',
  '-p': 'protocol',
  '-s': 'from',
  '-d': 'to',
  '--sport': 'from-port',
  '--dport': 'to-port',
  '--dports': 'to-port',
  '--ctstate': 'state',
  '--uid-owner': 'user',
  '--gid-owner': 'group',
};

function iptablesRule(chain: string, text: string, declared: ReadonlySet<string>): ReadRule {
  const [conditionText, verdictText, ...more] = text.startsWith('-j ') ? ['', text.slice(3)] : text.split(' -j ');
  if (verdictText === undefined || more.length > 0) throw new Error(`not one verdict: ${text}`);
  const conditions: string[] = [];
  const words = conditionText === '' ? [] : conditionText!.split(' ');
  let module = '';
  let not = '';
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '!') not = '!';
    else if (word === '-m') module = words[++i]!;
    else if (word === '--socket-exists') conditions.push('local-socket');
    else {
      const kind = word === '--mark' ? module : iptablesConditions[word];
      if (kind === undefined) throw new Error(`not understood: ${word} in ${text}`);
      conditions.push(`${not}${kind} ${words[++i]!.toLowerCase().replace(':', kind.endsWith('port') ? '-' : ':')}`);
      not = '';
    }
  }
  const [target, ...options] = verdictText.split(' ');
  const jumps = target!.startsWith('ISTIO_');
  if (jumps && !declared.has(`${chain.split('/')[0]}/${nftName(target!)}`)) throw new Error(`no chain ${target}`);
  const verdicts: Readonly<Record<string, string>> = {
    REDIRECT: `redirect ${options[1]}`,
    TPROXY: `tproxy ${options[3]} mark ${options[1]?.split('/')[0]}`,
    MARK: `set-mark ${options[1]}`,
    CT: `zone ${options[1]}`,
    CONNMARK: options[0] === '--set-xmark' ? `set-connection-mark ${options[1]}` : (options[0]?.slice(2) ?? ''),
    SNAT: `source ${options[1]}`,
  };
  const verdict = jumps ? `jump ${nftName(target!)}` : (verdicts[target!] ?? target!.toLowerCase());
  return { chain, conditions: conditions.sort(), verdict };
}

/** Reads a transaction of nft, as far as it concerns a family. */
export function readNft(text: string, family: Family): readonly ReadRule[] {
  const lines: Line[] = [];
  const declared = new Set<string>();
  for (const line of text.split('\n')) {
    const [, table, chain] = /^add chain inet istio-[a-z]+-(\w+) ([\w-]+)/.exec(line) ?? [];
    const rule = /^(add|insert) rule inet istio-[a-z]+-(\w+) ([\w-]+) (?:index (\d+) )?(.*)$/.exec(line);
    if (chain !== undefined) declared.add(`${table}/${chain}`);
    else if (rule) {
      const [, , of, name, index, body] = rule;
      lines.push({ chain: `${of}/${name}`, ...(index !== undefined && { index: Number(index) }), text: body! });
    } else if (!/^(add|flush) table inet istio-[a-z]+-\w+$/.test(line)) throw new Error(`not understood: ${line}`);
  }
  const other = family === 'ipv4' ? / ip6 |^ip6 / : / ip |^ip /;
  return inOrder(lines, declared)
    .filter(({ text: rule }) => !other.test(rule))
    .map(({ chain, text: rule }) => nftRule(chain, rule, declared));
}

/** nft's phrases of conditions: each gives what `iptables` says for it. */
const phrases: readonly (readonly [RegExp, (...groups: readonly string[]) => readonly string[]])[] = [
  [/^iifname (\S+) ?/, (name) => [`in ${name}`]],
  [/^oifname (!= )?(\S+) ?/, (not, name) => [`${not}out ${name}`]],
  [/^meta l4proto (\w+) ?/, (protocol) => [`protocol ${protocol}`]],
  [
    /^ip6? ([sd])addr (!= )?([^\s@]\S*) ?/,
    (side, not, address) => [`${not}${side === 's' ? 'from' : 'to'} ${address}`],
  ],
  [/^ct state (\S+) ?/, (states) => [`state ${states}`]],
  [
    /^(tcp|udp) ([sd])port (!= )?(?:\{ (.*?) \}|(\S+)) ?/,
    (protocol, side, not, set, one) => [
      `protocol ${protocol}`,
      `${not}${side === 's' ? 'from-port' : 'to-port'} ${(set || one)!.replaceAll(' ', '')}`,
    ],
  ],
  [/^ct mark and (\S+) == (\S+) ?/, (mask, value) => [`connmark ${value}/${mask}`]],
  [/^ct mark (\d+) ?/, (value) => [`connmark ${value}`]],
  [
    /^(?:meta )?mark (?:and|&) (\S+) +([!=]=) (\S+) ?/,
    (mask, op, value) => [`${op === '!=' ? '!' : ''}mark ${value}/${mask}`],
  ],
  [/^(?:meta )?mark (!= )?(\d+) ?/, (not, value) => [`${not}mark ${value}`]],
  [/^(?:meta )?sk([ug])id (!= )?(\S+) ?/, (side, not, id) => [`${not}${side === 'u' ? 'user' : 'group'} ${id}`]],
];

function nftRule(chain: string, text: string, declared: ReadonlySet<string>): ReadRule {
  const conditions: string[] = [];
  let rest = text;
  for (;;) {
    const found = phrases.find(([phrase]) => phrase.test(rest));
    if (found === undefined) break;
    const [phrase, read] = found;
    const [all, ...groups] = phrase.exec(rest)!;
    conditions.push(...read(...groups.map((group) => (group === '!= ' ? '!' : (group ?? '')))));
    rest = rest.slice(all.length);
  }
  const verdict = nftVerdict(rest.replace(/^counter /, ''));
  const target = /^jump (.*)/.exec(verdict)?.[1];
  if (target !== undefined && !declared.has(`${chain.split('/')[0]}/${target}`)) throw new Error(`no chain ${target}`);
  return { chain, conditions: [...new Set(conditions)].sort(), verdict };
}

function nftVerdict(text: string): string {
  const forms: readonly (readonly [RegExp, string])[] = [
    [/^redirect to :(\S+)$/, 'redirect $1'],
    [/^tproxy ip6? to :(\S+) meta mark set (\S+) counter accept$/, 'tproxy $1 mark $2'],
    [/^meta mark set ct mark$/, 'restore-mark'],
    [/^ct mark set mark$/, 'save-mark'],
    [/^meta mark set (\d+)$/, 'set-mark $1'],
    [/^ct zone set (\d+)$/, 'zone $1'],
    [/^ct mark set ct mark & 0xfffff000 \| {2}0x111$/, 'set-connection-mark 0x111/0xfff'],
    [/^((?:jump \S+)|return|accept|drop)$/, '$1'],
  ];
  const form = forms.find(([pattern]) => pattern.test(text));
  if (form === undefined) throw new Error(`not understood: ${text}`);
  return text.replace(...form);
}
