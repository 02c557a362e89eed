import { quote } from '../text/quote.ts';
import { isKeyword, type Token, type TokenKind } from './token.ts';

export interface Delimiters {
  readonly left: string;
  readonly right: string;
}

export const defaultDelimiters: Delimiters = { left: '{{', right: '}}' };

/** Whether `break` and `continue` are keywords; they aren't where functions have these names. */
export interface LoopWords {
  readonly break: boolean;
  readonly continue: boolean;
}

const end = '';
const spaces = ' \t\r\n';

const isSpace = (char: string): boolean => char !== end && spaces.includes(char);
const isWordChar = (char: string): boolean => char !== end && /^[_\p{L}\p{Nd}]$/u.test(char);
const hasLeftTrim = (text: string, at: number): boolean => text.charAt(at) === '-' && isSpace(text.charAt(at + 1));
const hasRightTrim = (text: string, at: number): boolean => isSpace(text.charAt(at)) && text.charAt(at + 1) === '-';

/** `%#U`, as Go names a character in an error. */
const describeChar = (char: string): string => {
  if (char === end) return 'U+FFFFFFFFFFFFFFFF';
  const code = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char) ? `${code} '${char}'` : code;
};

const countLines = (text: string): number => {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
};

/** Tokens of a template, one at a time. An error is a token too, and the last one. */
export class Lexer {
  readonly #input: string;
  readonly #delimiters: Delimiters;
  readonly #loopWords: LoopWords;
  #position = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  #insideAction = false;
  #parens = 0;
  #failed = false;

  constructor(input: string, delimiters: Delimiters, loopWords: LoopWords) {
    this.#input = input;
    this.#delimiters = delimiters;
    this.#loopWords = loopWords;
  }

  next(): Token {
    if (this.#failed) return { kind: 'eof', offset: 0, text: 'EOF', line: this.#startLine };
    return this.#insideAction ? this.#lexAction() : this.#lexText();
  }

  #peek(): string {
    const code = this.#input.codePointAt(this.#position);
    return code === undefined ? end : String.fromCodePoint(code);
  }

  #advance(): string {
    const char = this.#peek();
    this.#position += char.length;
    if (char === '\n') this.#line++;
    return char;
  }

  #token(kind: TokenKind): Token {
    const text = this.#input.slice(this.#start, this.#position);
    const token = { kind, offset: this.#start, text, line: this.#startLine };
    this.#begin();
    return token;
  }

  #begin(): void {
    this.#start = this.#position;
    this.#startLine = this.#line;
  }

  /** Moves to an offset further on, counting lines. */
  #moveTo(position: number): void {
    this.#line += countLines(this.#input.slice(this.#position, position));
    this.#position = position;
  }

  #skipTo(position: number): void {
    this.#moveTo(position);
    this.#begin();
  }

  #error(text: string): Token {
    this.#failed = true;
    return { kind: 'error', offset: this.#start, text, line: this.#startLine };
  }

  #lexText(): Token {
    for (;;) {
      const { left } = this.#delimiters;
      const delimiter = this.#input.indexOf(left, this.#position);
      if (delimiter < 0) {
        this.#moveTo(this.#input.length);
        return this.#position > this.#start ? this.#token('text') : { ...this.#token('eof'), text: 'EOF' };
      }
      const afterDelimiter = delimiter + left.length;
      const trim = hasLeftTrim(this.#input, afterDelimiter);
      if (delimiter > this.#position) {
        const text = this.#input.slice(this.#position, delimiter);
        const kept = trim ? text.replace(/[ \t\r\n]+$/, '') : text;
        this.#moveTo(this.#position + kept.length);
        const token = this.#token('text');
        this.#skipTo(delimiter);
        if (kept !== '') return token;
      }
      const afterMarker = afterDelimiter + (trim ? 2 : 0);
      if (!this.#input.startsWith('/*', afterMarker)) {
        this.#moveTo(afterDelimiter);
        const token = this.#token('leftDelim');
        this.#skipTo(afterMarker);
        this.#insideAction = true;
        this.#parens = 0;
        return token;
      }
      this.#skipTo(afterMarker);
      const error = this.#skipComment();
      if (error !== undefined) return error;
    }
  }

  #skipComment(): Token | undefined {
    const close = this.#input.indexOf('*/', this.#position + 2);
    if (close < 0) return this.#error('unclosed comment');
    const delimiter = this.#rightDelimiterAt(close + 2);
    if (delimiter === undefined) return this.#error('comment ends before closing delimiter');
    this.#skipTo(delimiter.end);
    return undefined;
  }

  /** The right delimiter at an offset: where it begins, where what it trims ends. */
  #rightDelimiterAt(at: number): { readonly start: number; readonly close: number; readonly end: number } | undefined {
    const { right } = this.#delimiters;
    const trim = hasRightTrim(this.#input, at) && this.#input.startsWith(right, at + 2);
    if (!trim && !this.#input.startsWith(right, at)) return undefined;
    const start = at + (trim ? 2 : 0);
    const close = start + right.length;
    let after = close;
    while (trim && isSpace(this.#input.charAt(after))) after++;
    return { start, close, end: after };
  }

  #rightDelimiter(delimiter: { readonly start: number; readonly close: number; readonly end: number }): Token {
    this.#skipTo(delimiter.start);
    this.#moveTo(delimiter.close);
    const token = this.#token('rightDelim');
    this.#skipTo(delimiter.end);
    this.#insideAction = false;
    return token;
  }

  #lexAction(): Token {
    const delimiter = this.#rightDelimiterAt(this.#position);
    if (delimiter !== undefined) {
      return this.#parens === 0 ? this.#rightDelimiter(delimiter) : this.#error('unclosed left paren');
    }
    const char = this.#peek();
    if (char === end) return this.#error('unclosed action');
    if (isSpace(char)) return this.#lexSpace();
    if (/[0-9+-]/.test(char) || (char === '.' && /[0-9]/.test(this.#input.charAt(this.#position + 1)))) {
      return this.#lexNumber();
    }
    if (isWordChar(char)) return this.#lexWord();
    this.#advance();
    switch (char) {
      case '=':
        return this.#token('assign');
      case ':':
        return this.#advance() === '=' ? this.#token('declare') : this.#error('expected :=');
      case '|':
        return this.#token('pipe');
      case '"':
        return this.#lexQuoted('"', 'string', 'unterminated quoted string');
      case "'":
        return this.#lexQuoted("'", 'charConstant', 'unterminated character constant');
      case '`':
        return this.#lexRawString();
      case '$':
        return this.#lexName('variable', 'variable');
      case '.':
        return this.#lexName('field', 'dot');
      case '(':
        this.#parens++;
        return this.#token('leftParen');
      case ')':
        this.#parens--;
        return this.#parens < 0 ? this.#error('unexpected right paren') : this.#token('rightParen');
      default:
        return /^[ -~]$/.test(char)
          ? this.#token('char')
          : this.#error(`unrecognized character in action: ${describeChar(char)}`);
    }
  }

  #lexSpace(): Token {
    let after = this.#position;
    while (isSpace(this.#input.charAt(after))) after++;
    // The last space may belong to a trim marker.
    const delimiter = this.#input.charAt(after) === '-' ? this.#rightDelimiterAt(after - 1) : undefined;
    if (delimiter === undefined) this.#moveTo(after);
    else if (after - 1 === this.#position) return this.#rightDelimiter(delimiter);
    else this.#moveTo(after - 1);
    return this.#token('space');
  }

  #atTerminator(): boolean {
    const char = this.#peek();
    return (
      isSpace(char) ||
      char === end ||
      '.,|:)('.includes(char) ||
      this.#input.startsWith(this.#delimiters.right, this.#position)
    );
  }

  #skipWord(): string {
    while (isWordChar(this.#peek())) this.#advance();
    return this.#input.slice(this.#start, this.#position);
  }

  #lexWord(): Token {
    const word = this.#skipWord();
    if (!this.#atTerminator()) return this.#error(`bad character ${describeChar(this.#peek())}`);
    if (word === 'true' || word === 'false') return this.#token('bool');
    const kind = word as TokenKind;
    const isName = word === 'dot' || ((word === 'break' || word === 'continue') && !this.#loopWords[word]);
    return this.#token(isKeyword(kind) && !isName ? kind : 'identifier');
  }

  #lexName(kind: TokenKind, alone: TokenKind): Token {
    if (this.#atTerminator()) return this.#token(alone);
    this.#skipWord();
    return this.#atTerminator() ? this.#token(kind) : this.#error(`bad character ${describeChar(this.#peek())}`);
  }

  #lexQuoted(mark: string, kind: TokenKind, unterminated: string): Token {
    for (;;) {
      let char = this.#advance();
      if (char === mark) return this.#token(kind);
      if (char === '\\') {
        char = this.#advance();
        if (char !== end && char !== '\n') continue;
      }
      if (char === end || char === '\n') return this.#error(unterminated);
    }
  }

  #lexRawString(): Token {
    const close = this.#input.indexOf('`', this.#position);
    if (close < 0) {
      this.#moveTo(this.#input.length);
      return this.#error('unterminated raw quoted string');
    }
    this.#moveTo(close + 1);
    return this.#token('rawString');
  }

  #lexNumber(): Token {
    const bad = (): Token => this.#error(`bad number syntax: ${quote(this.#input.slice(this.#start, this.#position))}`);
    if (!this.#scanNumber()) return bad();
    if (!/[+-]/.test(this.#peek())) return this.#token('number');
    if (!this.#scanNumber() || this.#input.charAt(this.#position - 1) !== 'i') return bad();
    return this.#token('complex');
  }

  #match(pattern: RegExp): void {
    pattern.lastIndex = this.#position;
    this.#position += pattern.exec(this.#input)?.[0].length ?? 0;
  }

  #scanNumber(): boolean {
    this.#match(numberSyntax);
    if (!isWordChar(this.#peek())) return true;
    this.#advance();
    return false;
  }
}

// Every part is optional: the check that the number means something is the parser's.
const numberSyntax =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y;
