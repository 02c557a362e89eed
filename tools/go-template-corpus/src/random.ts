import { renderCase, type CorpusCase, type CorpusResult } from '@kedge/go-template/testing';
import { type GoRenderer } from './go-renderer.ts';
import { values } from './table.ts';

/** Mulberry32: the same seed gives the same templates. */
const randomNumbers = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

type Kind = 'any' | 'text' | 'int' | 'float' | 'bool' | 'list' | 'map';

const allKinds: readonly Kind[] = ['any', 'text', 'int', 'float', 'bool', 'list', 'map'];

const simple: Readonly<Record<Kind, readonly string[]>> = {
  any: ['.s', '.n', '.l', '.m', '.null', '.missing', '1', '"x"', 'true', '.', '$', '.em', '2.5', 'nil'],
  text: ['.s', '.e', '.u', '"a"', '"b c"', '`r`', '.m.a', '"é✓"', '$.s'],
  int: ['1', '0', '3', '10', "'x'", '0x1F', '1_000'],
  float: ['.n', '.f', '.z', '2.5', '.big', '.m.b'],
  bool: ['true', 'false', '.t', '.no'],
  list: ['.l', '.nums', '.mixed', '.el', '.m.c.d', '$.l'],
  map: ['.m', '.em', '.deep', '.deep.one', '.m.c', '$.m', '.'],
};

/** Name with leading arguments, kinds of the others, kind of the result. */
const functions: readonly (readonly [name: string, params: readonly Kind[], result: Kind])[] = [
  ['printf "%v|%d|%s"', ['any', 'int', 'text'], 'text'],
  ['printf "%5.2f|%-6q|%+v"', ['float', 'text', 'any'], 'text'],
  ['print', ['any', 'any'], 'text'],
  ['println', ['any'], 'text'],
  ['html', ['any'], 'text'],
  ['js', ['any'], 'text'],
  ['len', ['list'], 'int'],
  ['len', ['map'], 'int'],
  ['len', ['text'], 'int'],
  ['index', ['list', 'int'], 'any'],
  ['index', ['map', 'text'], 'any'],
  ['eq', ['int', 'int'], 'bool'],
  ['eq', ['text', 'text', 'text'], 'bool'],
  ['ne', ['float', 'float'], 'bool'],
  ['lt', ['int', 'int'], 'bool'],
  ['ge', ['text', 'text'], 'bool'],
  ['and', ['bool', 'any'], 'any'],
  ['or', ['any', 'any', 'any'], 'any'],
  ['not', ['any'], 'bool'],
  ['upper', ['text'], 'text'],
  ['title', ['text'], 'text'],
  ['trunc 2', ['text'], 'text'],
  ['quote', ['any', 'any'], 'text'],
  ['squote', ['any'], 'text'],
  ['toString', ['any'], 'text'],
  ['toJson', ['any'], 'text'],
  ['join ","', ['list'], 'text'],
  ['typeOf', ['any'], 'text'],
  ['kindOf', ['any'], 'text'],
  ['replace "a" "-"', ['text'], 'text'],
  ['indent 2', ['text'], 'text'],
  ['regexReplaceAll "[a-e]+" ', ['text', 'text'], 'text'],
  ['default', ['any', 'any'], 'any'],
  ['coalesce', ['any', 'any', 'any'], 'any'],
  ['ternary', ['any', 'any', 'bool'], 'any'],
  ['first', ['list'], 'any'],
  ['get', ['map', 'text'], 'any'],
  ['int', ['any'], 'int'],
  ['float64', ['any'], 'float'],
  ['addf', ['float', 'any'], 'float'],
  ['floor', ['any'], 'float'],
  ['max', ['any', 'any'], 'any'],
  ['add', ['any', 'any'], 'any'],
  ['empty', ['any'], 'bool'],
  ['hasKey', ['map', 'text'], 'bool'],
  ['has', ['any', 'list'], 'bool'],
  ['contains', ['text', 'text'], 'bool'],
  ['kindIs "map"', ['any'], 'bool'],
  ['list', ['any', 'any', 'any'], 'list'],
  ['append', ['list', 'any'], 'list'],
  ['uniq', ['list'], 'list'],
  ['reverse', ['list'], 'list'],
  ['until', ['int'], 'list'],
  ['splitList " "', ['text'], 'list'],
  ['sortAlpha', ['any'], 'list'],
  ['dict "k"', ['any'], 'map'],
  ['dict "k" 1', ['text', 'any'], 'map'],
  ['merge (dict)', ['map', 'map'], 'map'],
  ['pick', ['map', 'text'], 'map'],
];

const stages = [
  'print',
  'quote',
  'toJson',
  'not',
  'default 1',
  'printf "%v"',
  'and .t',
  'typeOf',
  'int',
  'toString',
  'empty',
];

const typedStages: readonly (readonly [string, Kind])[] = [
  ['len', 'list'],
  ['upper', 'text'],
  ['eq 1', 'int'],
  ['index .m', 'text'],
  ['join "-"', 'list'],
  ['trunc 3', 'text'],
  ['printf "%05d"', 'int'],
];

/** Writes templates from a grammar: mostly right ones, with a wrong kind or a missing piece here and there. */
class Writer {
  readonly #random: () => number;
  #variables: string[] = [];

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)]!;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** An expression of a kind, most of the time. */
  #operand(kind: Kind, depth: number): string {
    const wanted = this.#chance(0.03) ? this.#pick(allKinds) : kind;
    if (depth > 0 && this.#chance(0.3)) return `(${this.#call(wanted, depth - 1)})${this.#chance(0.01) ? '.c' : ''}`;
    if (wanted === 'any' && this.#variables.length > 0 && this.#chance(0.4)) return this.#pick(this.#variables);
    return this.#pick(simple[wanted]);
  }

  #call(kind: Kind, depth: number): string {
    const [name, params] = this.#pick(functions.filter(([, , result]) => kind === 'any' || result === kind));
    const given = this.#chance(0.01) ? [...params, 'any' as const] : params;
    return [name, ...given.map((param) => this.#operand(param, depth))].join(' ');
  }

  #pipeline(depth: number, kind: Kind = 'any'): string {
    if (kind !== 'any' || this.#chance(0.6)) {
      const first = this.#chance(0.5) ? this.#call(kind, depth) : this.#operand(kind, depth);
      return this.#chance(0.2) ? `${first} | ${this.#pick(stages)}` : first;
    }
    const [stage, taken] = this.#pick(typedStages);
    return `${this.#operand(taken, depth)} | ${stage}`;
  }

  #scoped(write: () => string): string {
    const outer = [...this.#variables];
    const written = write();
    this.#variables = outer;
    return written;
  }

  #declared(): string {
    const name = `$v${this.#variables.length}`;
    this.#variables.push(name);
    return name;
  }

  #action(depth: number, inRange: boolean): string {
    const [open, close] = [this.#chance(0.1) ? '{{- ' : '{{ ', this.#chance(0.1) ? ' -}}' : ' }}'];
    const tag = (inner: string): string => open + inner + close;
    const choice = depth <= 0 ? this.#random() * 0.5 : this.#random();
    if (choice < 0.4) return tag(this.#pipeline(2));
    if (choice < 0.47) {
      const pipeline = this.#pipeline(2);
      return tag(`${this.#declared()} := ${pipeline}`);
    }
    if (choice < 0.5) {
      if (this.#variables.length > 0 && this.#chance(0.7))
        return tag(`${this.#pick(this.#variables)} = ${this.#pipeline(1)}`);
      return inRange
        ? tag(this.#pick(['break', 'continue']))
        : tag('/* note */').replace('{{ /', '{{/').replace('/ }}', '/}}');
    }
    if (choice < 0.7) {
      return this.#scoped(() => {
        const head = tag(`if ${this.#pipeline(2)}`);
        const otherwise = this.#chance(0.3) ? tag(`else if ${this.#pipeline(1)}`) + this.#body(depth - 1, inRange) : '';
        return (
          head +
          this.#body(depth - 1, inRange) +
          otherwise +
          (this.#chance(0.4) ? tag('else') + this.#body(depth - 1, inRange) : '') +
          tag('end')
        );
      });
    }
    if (choice < 0.85) {
      return this.#scoped(() => {
        const source = this.#chance(0.8) ? this.#operand(this.#pick(['list', 'map', 'int']), 1) : this.#pipeline(1);
        const names = this.#chance(0.5)
          ? `${this.#declared()}, ${this.#declared()} := `
          : this.#chance(0.5)
            ? `${this.#declared()} := `
            : '';
        return (
          tag(`range ${names}${source}`) +
          this.#body(depth - 1, true) +
          (this.#chance(0.2) ? tag('else') + this.#body(depth - 1, inRange) : '') +
          tag('end')
        );
      });
    }
    if (choice < 0.95) {
      return this.#scoped(
        () =>
          tag(`with ${this.#pipeline(1)}`) +
          this.#body(depth - 1, inRange) +
          (this.#chance(0.3) ? tag('else') + this.#body(depth - 1, inRange) : '') +
          tag('end'),
      );
    }
    return tag(
      `template "${this.#pick(['one', 'two', 'one', 'two', 'one', 'two', 'three'])}" ${this.#operand('any', 1)}`,
    );
  }

  #body(depth: number, inRange = false): string {
    const count = 1 + Math.floor(this.#random() * 3);
    return Array.from(
      { length: count },
      () => this.#pick(['', 'x', ' ', '\n', ' y\n ', 'é']) + this.#action(depth, inRange),
    ).join('');
  }

  template(): string {
    this.#variables = [];
    const main = this.#body(2);
    this.#variables = [];
    return `{{ define "one" }}<{{ . }}>{{ end }}{{ define "two" }}${this.#scoped(() => this.#body(1)).replaceAll('template "two"', 'template "one"')}{{ end }}${main}`;
  }
}

const batchSize = 2000;

/** Bytes that aren't UTF-8 have come from Go as replacement characters. */
const wellFormed = (result: CorpusResult): string =>
  JSON.stringify(result, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));

/** Whether this library and Go agree on so many random templates; the first that don't are printed. */
export const compareRandom = (renderer: GoRenderer, count: number, seed: number): boolean => {
  const writer = new Writer(seed);
  let [errors, different] = [0, 0];
  for (let done = 0; done < count; done += batchSize) {
    const cases = Array.from({ length: Math.min(batchSize, count - done) }, (): CorpusCase => ({
      mode: 'sprig',
      template: writer.template(),
      values,
    }));
    renderer.render(cases).forEach((expected, index) => {
      const actual = renderCase(cases[index]!);
      if ('error' in expected) errors++;
      if (wellFormed(actual) === wellFormed(expected)) return;
      different++;
      if (different <= 20)
        console.log(JSON.stringify({ template: cases[index]!.template, expected, actual }, undefined, 2));
    });
  }
  console.log(`seed ${seed}: ${count} templates, ${errors} of them errors, ${different} different`);
  return different === 0;
};
