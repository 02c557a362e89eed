import { type Problem, quote } from './issues.ts';

/**
 * Whether a text is an expression in the syntax of the Common Expression Language; names and types are not looked at.
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
export function celProblem(expression: string): Problem {
  try {
    const parser = new CelParser(tokenize(expression));
    parser.expression();
    parser.end();
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return `is not a CEL expression: ${error.message}`;
    throw error;
  }
}

class CelError extends Error {}

interface Token {
  readonly kind: 'name' | 'literal' | 'operator' | 'end';
  readonly text: string;
}

const ESCAPE = String.raw`\\(?:[abfnrtv\\?"'${'`'}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const quoted = (mark: string, raw: boolean): string => {
  const [first] = mark;
  const plain = mark.length === 1 ? String.raw`[^${first}\\\r\n]` : String.raw`[^\\]`;
  return raw ? `${mark}${mark.length === 1 ? String.raw`[^${first}\r\n]` : String.raw`[\s\S]`}*?${mark}` : `${mark}(?:${plain}|${ESCAPE})*?${mark}`; // prettier-ignore
};
const strings = (raw: boolean): string => ['"""', "'''", '"', "'"].map((mark) => quoted(mark, raw)).join('|');

const TOKENS: readonly (readonly [Token['kind'] | 'blank', RegExp])[] = [
  ['blank', /(?:\s+|\/\/[^\n]*)/y],
  ['literal', new RegExp(`(?:[bB]?[rR]|[rR][bB])(?:${strings(true)})|[bB]?(?:${strings(false)})`, 'y')],
  ['literal', /0x[0-9a-fA-F]+[uU]?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+[uU]?/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['operator', /&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]{}]/y],
];

const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  next: while (at < text.length) {
    for (const [kind, pattern] of TOKENS) {
      pattern.lastIndex = at;
      const match = pattern.exec(text)?.[0];
      if (match === undefined) continue;
      if (kind !== 'blank')
        tokens.push(/^(?:true|false|null)$/.test(match) ? { kind: 'literal', text: match } : { kind, text: match });
      at += match.length;
      continue next;
    }
    throw new CelError(`unexpected ${quote(text.slice(at, at + 10))}`);
  }
  return [...tokens, { kind: 'end', text: 'end' }];
}

/** What an operand turned out to be, as far as macros care. */
type Operand = 'name' | 'selection' | 'other';

const BINARY: ReadonlySet<string> = new Set([
  '||',
  '&&',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  '+',
  '-',
  '*',
  '/',
  '%',
]);
const COMPREHENSIONS: Readonly<Record<string, readonly number[]>> = {
  all: [2],
  exists: [2],
  exists_one: [2],
  existsOne: [2],
  filter: [2],
  map: [2, 3],
};
const MAX_DEPTH = 250;

/** A parser by recursive descent. Precedence is of no matter for what is well-formed, so binary operators are one list. */
class CelParser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  expression(): Operand {
    if (++this.#depth > MAX_DEPTH) throw new CelError('nested too deeply');
    let operand = this.#binary();
    if (this.#take('?')) {
      this.#binary();
      this.#expect(':');
      this.expression();
      operand = 'other';
    }
    this.#depth--;
    return operand;
  }

  end(): void {
    if (this.#peek().kind !== 'end') this.#unexpected();
  }

  #binary(): Operand {
    let operand = this.#unary();
    while (BINARY.has(this.#peek().text) && this.#peek().kind !== 'literal') {
      this.#position++;
      this.#unary();
      operand = 'other';
    }
    return operand;
  }

  #unary(): Operand {
    const sign = this.#peek().text;
    if (!this.#take('!') && !this.#take('-')) return this.#member();
    while (this.#take(sign));
    this.#member();
    return 'other';
  }

  #member(): Operand {
    let operand = this.#primary();
    for (;;) {
      if (this.#take('.')) {
        const name = this.#name(false);
        operand = this.#peek().text === '(' ? this.#call(name, true) : 'selection';
      } else if (this.#take('[')) {
        this.expression();
        this.#expect(']');
        operand = 'other';
      } else if (operand !== 'other' && this.#take('{')) {
        this.#list('}', () => {
          this.#name(false);
          this.#expect(':');
          this.expression();
        });
        operand = 'other';
      } else {
        return operand;
      }
    }
  }

  #primary(): Operand {
    const token = this.#peek();
    if (token.kind === 'literal') this.#position++;
    else if (this.#take('(')) {
      this.expression();
      this.#expect(')');
    } else if (this.#take('[')) this.#list(']', () => this.expression());
    else if (this.#take('{')) {
      this.#list('}', () => {
        this.expression();
        this.#expect(':');
        this.expression();
      });
    } else {
      this.#take('.');
      const name = this.#name(true);
      return this.#peek().text === '(' ? this.#call(name, false) : 'name';
    }
    return 'other';
  }

  /** Arguments, after the name; macros ask for certain forms of them. */
  #call(name: string, ofTarget: boolean): Operand {
    this.#expect('(');
    const operands: Operand[] = [];
    if (!this.#take(')')) {
      do operands.push(this.expression());
      while (this.#take(','));
      this.#expect(')');
    }
    if (name === 'has' && !ofTarget && operands.length === 1 && operands[0] !== 'selection') {
      throw new CelError('has() needs a field, as in has(request.auth)');
    }
    const counts = ofTarget && Object.hasOwn(COMPREHENSIONS, name) ? COMPREHENSIONS[name] : undefined;
    if (counts?.includes(operands.length) && operands[0] !== 'name')
      throw new CelError(`${name}() needs a variable first`);
    return 'other';
  }

  /** Items up to a closing bracket, before which there may be a comma. */
  #list(close: string, item: () => void): void {
    while (!this.#take(close)) {
      item();
      if (!this.#take(',')) {
        this.#expect(close);
        return;
      }
    }
  }

  #name(reserved: boolean): string {
    const { kind, text } = this.#peek();
    if (kind !== 'name' || text === 'in' || (reserved && RESERVED.has(text))) this.#unexpected();
    this.#position++;
    return text;
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: 'end' };
  }

  #take(operator: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'operator' || text !== operator) return false;
    this.#position++;
    return true;
  }

  #expect(operator: string): void {
    if (!this.#take(operator)) this.#unexpected();
  }

  #unexpected(): never {
    const { kind, text } = this.#peek();
    throw new CelError(kind === 'end' ? 'it ends too early' : `unexpected ${quote(text)}`);
  }
}
