import { byteLength, utf8Decode } from './utf8.ts';

const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export const isPrint = (char: string): boolean => char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const escapeChar = (char: string, quote: string, asciiOnly: boolean): string => {
  if (char === quote || char === '\\') return `\\${char}`;
  const code = char.codePointAt(0)!;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  if (asciiOnly ? code < 0x7f && code >= 0x20 : isPrint(char)) return char;
  const short = shortEscapes[char];
  if (short !== undefined) return short;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
};

/** Go's `strconv.Quote`; with `asciiOnly` its `QuoteToASCII`. */
export const quote = (text: string, asciiOnly = false): string =>
  `"${Array.from(text, (char) => escapeChar(char, '"', asciiOnly)).join('')}"`;

/** Go's `strconv.QuoteRune`. */
export const quoteRune = (char: string, asciiOnly = false): string => `'${escapeChar(char, "'", asciiOnly)}'`;

/** Whether `%#q` may write the text between back quotes. */
export const canBackquote = (text: string): boolean =>
  text.isWellFormed() &&
  !/[`\ufeff]/.test(text) &&
  !Array.from(text).some((char) => char !== '\t' && (char < ' ' || char === '\x7f'));

const simpleUnescapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** One character of a quoted literal, as text and as number, with what follows it; undefined if the syntax is wrong. */
export interface UnquotedChar {
  readonly text: string;
  readonly code: number;
  readonly tail: string;
}

const byteText = (byte: number): string => utf8Decode(Uint8Array.of(byte));

export const unquoteChar = (source: string, quoteMark: string): UnquotedChar | undefined => {
  const first = String.fromCodePoint(source.codePointAt(0) ?? 0);
  if (source === '' || first === quoteMark) return undefined;
  const plain = (text: string, length: number): UnquotedChar => ({
    text,
    code: text.codePointAt(0)!,
    tail: source.slice(length),
  });
  if (first !== '\\') return plain(first, first.length);
  const kind = source.charAt(1);
  const simple = simpleUnescapes[kind];
  if (simple !== undefined) return plain(simple, 2);
  if (kind === quoteMark && (kind === '"' || kind === "'")) return plain(kind, 2);
  const digits = hexDigits[kind];
  if (digits !== undefined) {
    const run = source.slice(2, 2 + digits);
    if (run.length < digits || !/^[0-9a-fA-F]+$/.test(run)) return undefined;
    const code = Number.parseInt(run, 16);
    if (kind === 'x') return { text: byteText(code), code, tail: source.slice(2 + digits) };
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    return plain(String.fromCodePoint(code), 2 + digits);
  }
  if (/^[0-7]{3}/.test(source.slice(1))) {
    const code = Number.parseInt(source.slice(1, 4), 8);
    return code > 255 ? undefined : { text: byteText(code), code, tail: source.slice(4) };
  }
  return undefined;
};

/** Go's `strconv.Unquote` for strings; undefined if the syntax is wrong. */
export const unquote = (literal: string): string | undefined => {
  if (byteLength(literal) < 2) return undefined;
  const mark = literal.charAt(0);
  let rest = literal.slice(1, -1);
  if (!literal.endsWith(mark)) return undefined;
  if (mark === '`') return rest.includes('`') ? undefined : rest.replaceAll('\r', '');
  let text = '';
  while (rest !== '') {
    const char = unquoteChar(rest, mark);
    if (char === undefined || rest.startsWith('\n')) return undefined;
    text += char.text;
    rest = char.tail;
  }
  return text;
};
