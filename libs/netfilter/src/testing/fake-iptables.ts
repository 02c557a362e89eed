import type { CommandResult, Run } from '../command.ts';

/** The rules of a family, by tables and chains: what a kernel keeps. */
type Tables = Map<string, Map<string, string[]>>;

const kernelChains = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'];

/** iptables and ip6tables over memory: transactions of `restore` are applied whole or not at all. */
export class FakeIptables {
  readonly #families = new Map<string, Tables>([
    ['iptables', new Map()],
    ['ip6tables', new Map()],
  ]);
  /** All commands that change something. */
  readonly written: string[] = [];

  readonly run: Run = ({ program, args, input = '' }) => {
    const [name = '', kind = 'check'] = program.split('-');
    const tables = this.#families.get(name);
    if (tables === undefined) return Promise.resolve({ code: 127, stdout: '', stderr: '' });
    if (kind === 'save') return Promise.resolve(ok(print(tables)));
    if (kind === 'check') {
      const [, table, , chain, ...words] = args;
      const rules = tables.get(table!)?.get(chain!) ?? [];
      return Promise.resolve({ ...ok(''), code: rules.includes(words.join(' ')) ? 0 : 1 });
    }
    this.written.push(input);
    try {
      const next = structuredClone(tables);
      apply(next, input);
      this.#families.set(name, next);
      return Promise.resolve(ok(''));
    } catch (error) {
      return Promise.resolve({ code: 1, stdout: '', stderr: String(error) });
    }
  };

  /** All that is there. */
  get state(): string {
    return [...this.#families.values()].map(print).join('--\n');
  }

  add(program: 'iptables' | 'ip6tables', text: string): void {
    apply(this.#families.get(program)!, text);
  }
}

const ok = (stdout: string): CommandResult => ({ code: 0, stdout, stderr: '' });

function print(tables: Tables): string {
  return [...tables]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, chains]) => chains.size > 0)
    .map(([table, chains]) => {
      const own = [...chains].filter(([chain, rules]) => !kernelChains.includes(chain) || rules.length > 0);
      const sorted = own.toSorted(([a], [b]) => (a < b ? -1 : 1));
      return [
        `*${table}`,
        ...sorted.map(([chain]) => `:${chain} - [0:0]`),
        ...sorted.flatMap(([chain, rules]) => rules.map((rule) => `-A ${chain} ${rule}`)),
        'COMMIT\n',
      ].join('\n');
    })
    .join('');
}

function apply(tables: Tables, text: string): void {
  let chains = new Map<string, string[]>();
  for (const [number, line] of text.split('\n').entries()) {
    const [verb, chain = '', ...words] = line.split(' ');
    const fail = (reason: string): never => {
      throw new Error(`${reason}\nError occurred at line: ${number + 1}`);
    };
    const rules = () => {
      if (kernelChains.includes(chain) && !chains.has(chain)) chains.set(chain, []);
      return chains.get(chain) ?? fail(`no chain ${chain}`);
    };
    if (verb === '*') {
      chains = tables.get(chain) ?? new Map<string, string[]>();
      tables.set(chain, chains);
    } else if (verb === '-N') {
      if (chains.has(chain)) fail(`chain ${chain} exists`);
      chains.set(chain, []);
    } else if (verb === '-A') rules().push(words.join(' '));
    else if (verb === '-I') rules().splice(Number(words[0]) - 1, 0, words.slice(1).join(' '));
    else if (verb === '-F') rules().length = 0;
    else if (verb === '-D') {
      const index = rules().indexOf(words.join(' '));
      if (index < 0) fail(`no rule ${line}`);
      rules().splice(index, 1);
      if (kernelChains.includes(chain) && rules().length === 0) chains.delete(chain);
    } else if (verb === '-X') {
      const isUsed = [...chains.values()].flat().some((rule) => rule.endsWith(`-j ${chain}`));
      if (rules().length > 0 || isUsed) fail(`chain ${chain} is in use`);
      chains.delete(chain);
    }
  }
}
