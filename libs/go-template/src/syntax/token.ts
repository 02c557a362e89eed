/** What the lexer finds; the words of the language are kinds of their own. */
export type TokenKind =
  | Keyword
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable';

export const keywords = [
  'block',
  'break',
  'continue',
  'dot',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
] as const;

export type Keyword = (typeof keywords)[number];

export interface Token {
  readonly kind: TokenKind;
  /** Offset in the source, in UTF-16 units. */
  readonly offset: number;
  readonly text: string;
  /** Line of its start, from 1. */
  readonly line: number;
}

export const isKeyword = (kind: TokenKind): kind is Keyword => (keywords as readonly string[]).includes(kind);
