import { isStackOverflow } from '../exec/execution-error.ts';
import { TemplateError } from '../exec/template-error.ts';
import { quote, unquote } from '../text/quote.ts';
import {
  isEmpty,
  type BranchNode,
  type CommandNode,
  type ListNode,
  type Node,
  type OperandNode,
  type PipeNode,
  type Source,
  type TemplateNode,
  type VariableNode,
} from './ast.ts';
import { Lexer, type Delimiters } from './lexer.ts';
import { numberLiteral } from './number.ts';
import { isKeyword, type Token, type TokenKind } from './token.ts';

interface ParseOptions {
  readonly delimiters: Delimiters;
  readonly isFunction: (name: string) => boolean;
}

const maxParentheses = 10_000;

/** What ends a list of nodes. */
type Terminator = Record<'offset', number> & ({ readonly kind: 'end' } | { readonly kind: 'else' });

const describeToken = ({ kind, text }: Token): string => {
  if (kind === 'eof') return 'EOF';
  if (kind === 'error') return text;
  if (isKeyword(kind)) return `<${text}>`;
  const chars = Array.from(text);
  return chars.length > 10 && text.length > 10 ? `${quote(chars.slice(0, 10).join(''))}...` : quote(text);
};

const operandKinds: ReadonlySet<TokenKind> = new Set([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);

class Parser {
  /** Every template that the source defines, itself included. */
  readonly trees = new Map<string, ListNode>();
  readonly #source: Source;
  readonly #options: ParseOptions;
  readonly #lexer: Lexer;
  /** Tokens that were looked at, next one last. */
  readonly #pending: Token[] = [];
  #latest: Token | undefined;
  #variables = ['$'];
  #ranges = 0;
  #parentheses = 0;
  #actionLine = 0;

  constructor(source: Source, options: ParseOptions) {
    this.#source = source;
    this.#options = options;
    const loopWords = { break: !options.isFunction('break'), continue: !options.isFunction('continue') };
    this.#lexer = new Lexer(source.text, options.delimiters, loopWords);
  }

  parse(): void {
    const root = this.#list(this.#peek());
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'eof') break;
      if (token.kind === 'leftDelim') {
        this.#next();
        const word = this.#nextNonSpace();
        if (word.kind === 'define') {
          this.#definition();
          continue;
        }
        this.#push(word, token);
      }
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') this.#fail(`unexpected {{${node.kind}}}`);
      root.nodes.push(node);
    }
    this.#add(this.#source.name, root);
  }

  #fail(message: string): never {
    const line = this.#latest?.line ?? 0;
    throw new TemplateError(`template: ${this.#source.name}:${line}: ${message}`, {
      template: this.#source.name,
      line,
    });
  }

  #read(): Token {
    this.#latest = this.#lexer.next();
    return this.#latest;
  }

  #next(): Token {
    return this.#pending.pop() ?? this.#read();
  }

  #push(...tokens: readonly Token[]): void {
    this.#pending.push(...tokens);
  }

  #peek(): Token {
    const token = this.#next();
    this.#push(token);
    return token;
  }

  #nextNonSpace(): Token {
    let token = this.#next();
    while (token.kind === 'space') token = this.#next();
    return token;
  }

  #peekNonSpace(): Token {
    const token = this.#nextNonSpace();
    this.#push(token);
    return token;
  }

  #expect(context: string, ...kinds: readonly TokenKind[]): Token {
    const token = this.#nextNonSpace();
    return kinds.includes(token.kind) ? token : this.#unexpected(token, context);
  }

  #unexpected(token: Token, context: string): never {
    if (token.kind !== 'error') this.#fail(`unexpected ${describeToken(token)} in ${context}`);
    if (this.#actionLine === 0 || this.#actionLine === token.line) this.#fail(token.text);
    const action = token.text.endsWith(' action') ? '' : ' in action';
    this.#fail(`${token.text}${action} started at ${this.#source.name}:${this.#actionLine}`);
  }

  #place({ offset }: { readonly offset: number }): { readonly offset: number; readonly source: Source } {
    return { offset, source: this.#source };
  }

  #list(at: { readonly offset: number }): ListNode {
    return { kind: 'list', nodes: [], ...this.#place(at) };
  }

  #add(name: string, tree: ListNode): void {
    const present = this.trees.get(name);
    if (present === undefined || isEmpty(present)) this.trees.set(name, tree);
    else if (!isEmpty(tree)) this.#fail(`template: multiple definition of template ${quote(name)}`);
  }

  /** A tree of its own: the variables around it aren't seen in it. */
  #inner(context: string): ListNode {
    const outer = { variables: this.#variables, ranges: this.#ranges, actionLine: this.#actionLine };
    this.#variables = ['$'];
    this.#ranges = 0;
    this.#actionLine = 0;
    const { list, terminator } = this.#itemList();
    if (terminator.kind !== 'end') this.#fail(`unexpected {{else}} in ${context}`);
    this.#variables = outer.variables;
    this.#ranges = outer.ranges;
    this.#actionLine = outer.actionLine;
    return list;
  }

  #definition(): void {
    const context = 'define clause';
    const name = this.#unquoted(this.#expect(context, 'string', 'rawString'));
    this.#expect(context, 'rightDelim');
    this.#add(name, this.#inner(context));
  }

  #unquoted(token: Token): string {
    return unquote(token.text) ?? this.#fail('invalid syntax');
  }

  #itemList(): { readonly list: ListNode; readonly terminator: Terminator } {
    const list = this.#list(this.#peekNonSpace());
    while (this.#peekNonSpace().kind !== 'eof') {
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') return { list, terminator: node };
      list.nodes.push(node);
    }
    return this.#fail('unexpected EOF');
  }

  #textOrAction(): Node | Terminator {
    const token = this.#nextNonSpace();
    if (token.kind === 'text') return { kind: 'text', text: token.text, ...this.#place(token) };
    if (token.kind !== 'leftDelim') return this.#unexpected(token, 'input');
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): Node | Terminator {
    const token = this.#nextNonSpace();
    switch (token.kind) {
      case 'block':
        return this.#block();
      case 'break':
      case 'continue':
        return this.#loopControl(token, token.kind);
      case 'else':
        return this.#elseControl();
      case 'end':
        return { kind: 'end', offset: this.#expect('end', 'rightDelim').offset };
      case 'if':
      case 'range':
      case 'with':
        return this.#branch(token.kind);
      case 'template':
        return this.#template();
      default:
        this.#push(token);
        return { kind: 'action', ...this.#place(token), pipe: this.#pipeline('command', 'rightDelim') };
    }
  }

  #loopControl(at: Token, kind: 'break' | 'continue'): Node {
    const token = this.#nextNonSpace();
    if (token.kind !== 'rightDelim') this.#unexpected(token, `{{${kind}}}`);
    if (this.#ranges === 0) this.#fail(`{{${kind}}} outside {{range}}`);
    return { kind, ...this.#place(at) };
  }

  #elseControl(): Terminator {
    const token = this.#peekNonSpace();
    if (token.kind === 'if' || token.kind === 'with') return { kind: 'else', offset: token.offset };
    return { kind: 'else', offset: this.#expect('else', 'rightDelim').offset };
  }

  #branch(kind: BranchNode['kind']): BranchNode {
    const outer = this.#variables;
    this.#variables = [...outer];
    const pipe = this.#pipeline(kind, 'rightDelim');
    const loops = kind === 'range' ? 1 : 0;
    this.#ranges += loops;
    const { list: body, terminator } = this.#itemList();
    this.#ranges -= loops;
    const otherwise = terminator.kind === 'else' ? this.#elseList(kind, terminator) : undefined;
    this.#variables = outer;
    return { kind, ...this.#place(pipe), pipe, body, otherwise };
  }

  #elseList(kind: BranchNode['kind'], terminator: Terminator): ListNode {
    if (kind !== 'range' && this.#peek().kind === kind) {
      this.#next();
      return { ...this.#list(terminator), nodes: [this.#branch(kind)] };
    }
    const { list, terminator: next } = this.#itemList();
    return next.kind === 'end' ? list : this.#fail('expected end; found {{else}}');
  }

  #templateName(context: string): { readonly token: Token; readonly name: string } {
    const token = this.#expect(context, 'string', 'rawString');
    return { token, name: this.#unquoted(token) };
  }

  #block(): TemplateNode {
    const context = 'block clause';
    const { token, name } = this.#templateName(context);
    const pipe = this.#pipeline(context, 'rightDelim');
    this.#add(name, this.#inner(context));
    return { kind: 'template', ...this.#place(token), name, pipe };
  }

  #template(): TemplateNode {
    const context = 'template clause';
    const { token, name } = this.#templateName(context);
    const next = this.#nextNonSpace();
    let pipe: PipeNode | undefined;
    if (next.kind !== 'rightDelim') {
      this.#push(next);
      pipe = this.#pipeline(context, 'rightDelim');
    }
    return { kind: 'template', ...this.#place(token), name, pipe };
  }

  #pipeline(context: string, end: TokenKind): PipeNode {
    const start = this.#peekNonSpace();
    const { variables, assigns } = this.#declarations(context);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.#nextNonSpace();
      if (token.kind === end) break;
      if (!operandKinds.has(token.kind)) this.#unexpected(token, context);
      this.#push(token);
      commands.push(this.#command());
    }
    if (commands.length === 0) this.#fail(`missing value for ${context}`);
    const constant = commands.findIndex(
      ({ operands }, index) => index > 0 && ['bool', 'dot', 'nil', 'number', 'string'].includes(operands[0]!.kind),
    );
    if (constant > 0) this.#fail(`non executable command in pipeline stage ${constant + 1}`);
    return { kind: 'pipe', ...this.#place(start), variables, assigns, commands };
  }

  #declarations(context: string): { readonly variables: VariableNode[]; readonly assigns: boolean } {
    const variables: VariableNode[] = [];
    const declare = (token: Token): void => {
      variables.push({ kind: 'variable', ...this.#place(token), name: token.text, fields: [] });
      this.#variables.push(token.text);
    };
    while (this.#peekNonSpace().kind === 'variable') {
      const variable = this.#next();
      const after = this.#peek();
      const next = this.#peekNonSpace();
      if (next.kind === 'assign' || next.kind === 'declare') {
        this.#next();
        declare(variable);
        return { variables, assigns: next.kind === 'assign' };
      }
      if (next.kind !== 'char' || next.text !== ',') {
        // No declaration: the variable is an operand, and the space after it parts it from the next.
        if (after.kind === 'space') this.#push(after);
        this.#push(variable);
        break;
      }
      this.#next();
      declare(variable);
      if (context !== 'range' || variables.length >= 2) this.#fail(`too many declarations in ${context}`);
      if (!['variable', 'rightDelim', 'rightParen'].includes(this.#peekNonSpace().kind)) {
        this.#fail('range can only initialize variables');
      }
    }
    return { variables, assigns: false };
  }

  #command(): CommandNode {
    const start = this.#peekNonSpace();
    const operands: OperandNode[] = [];
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) operands.push(operand);
      const token = this.#next();
      if (token.kind === 'space') continue;
      if (token.kind === 'rightDelim' || token.kind === 'rightParen') this.#push(token);
      else if (token.kind !== 'pipe') this.#unexpected(token, 'operand');
      break;
    }
    if (operands.length === 0) this.#fail('empty command');
    return { kind: 'command', ...this.#place(start), operands };
  }

  #operand(): OperandNode | undefined {
    const term = this.#term();
    if (term === undefined || this.#peek().kind !== 'field') return term;
    const at = this.#place(this.#peek());
    const fields: string[] = [];
    while (this.#peek().kind === 'field') fields.push(this.#next().text.slice(1));
    switch (term.kind) {
      case 'field':
        return { ...term, ...at, fields: [...term.fields, ...fields] };
      case 'variable':
        return { ...term, ...at, fields: [...term.fields, ...fields] };
      case 'bool':
      case 'number':
        return this.#fail(`unexpected . after term ${quote(term.kind === 'bool' ? String(term.value) : term.text)}`);
      case 'string':
        return this.#fail(`unexpected . after term ${quote(term.quoted)}`);
      case 'dot':
      case 'nil':
        return this.#fail(`unexpected . after term ${quote(term.kind === 'dot' ? '.' : 'nil')}`);
      default:
        return { kind: 'chain', ...at, operand: term, fields };
    }
  }

  #term(): OperandNode | undefined {
    const token = this.#nextNonSpace();
    const at = this.#place(token);
    switch (token.kind) {
      case 'identifier':
        if (!this.#options.isFunction(token.text)) this.#fail(`function ${quote(token.text)} not defined`);
        return { kind: 'identifier', ...at, name: token.text };
      case 'dot':
      case 'nil':
        return { kind: token.kind, ...at };
      case 'variable':
        if (!this.#variables.includes(token.text)) this.#fail(`undefined variable ${quote(token.text)}`);
        return { kind: 'variable', ...at, name: token.text, fields: [] };
      case 'field':
        return { kind: 'field', ...at, fields: [token.text.slice(1)] };
      case 'bool':
        return { kind: 'bool', ...at, value: token.text === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number': {
        const number = numberLiteral(token.text, token.kind);
        if ('error' in number) return this.#fail(number.error);
        return { kind: 'number', ...at, text: token.text, value: number.value };
      }
      case 'leftParen': {
        if (this.#parentheses >= maxParentheses) this.#fail('max expression depth exceeded');
        this.#parentheses++;
        const pipe = this.#pipeline('parenthesized pipeline', 'rightParen');
        this.#parentheses--;
        return pipe;
      }
      case 'string':
      case 'rawString':
        return { kind: 'string', ...at, quoted: token.text, value: this.#unquoted(token) };
      default:
        this.#push(token);
        return undefined;
    }
  }
}

/** Templates that a source defines: itself, under its own name, and those within. Throws a TemplateError. */
export const parse = (source: Source, options: ParseOptions): ReadonlyMap<string, ListNode> => {
  const parser = new Parser(source, options);
  try {
    parser.parse();
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    throw new TemplateError(`template: ${source.name}: max expression depth exceeded`, { template: source.name });
  }
  return parser.trees;
};
