import { byteLength } from '../text/utf8.ts';
import { resolvePlain } from './resolve.ts';

/** What about a text decides how it can be written. */
interface Analysis {
  readonly plain: boolean;
  readonly singleQuoted: boolean;
  readonly literal: boolean;
}

const lineBreak = '[\\r\\n\\u0085\\u2028\\u2029]';
const startsOrEndsBlank = new RegExp(`^(?: |${lineBreak})|(?: |${lineBreak})$`);
const breakThenSpace = new RegExp(`${lineBreak} `);
const spaceThenBreak = new RegExp(` ${lineBreak}`);
const anyBreak = new RegExp(lineBreak);
// Above the basic plane, nothing counts as printable.
const unprintable = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const indicator = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[-?:](?:[ \t]|$))|:(?:[ \t]|$)|[ \t\r\n\u0085\u2028\u2029]#/;
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

const analyse = (text: string): Analysis => {
  if (text === '') return { plain: true, singleQuoted: true, literal: false };
  const unsafe = unprintable.test(text) || spaceThenBreak.test(text);
  const breakSpace = breakThenSpace.test(text);
  const multiline = anyBreak.test(text);
  return {
    plain: !multiline && !unsafe && !startsOrEndsBlank.test(text) && !indicator.test(text),
    singleQuoted: !unsafe && !breakSpace,
    literal: !unsafe && !text.endsWith(' '),
  };
};

const namedEscapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\u2028': 'L',
  '\u2029': 'P',
};

const escapeChar = (char: string): string => {
  const named = namedEscapes[char];
  if (named !== undefined) return `\\${named}`;
  const code = char.codePointAt(0)!;
  const [letter, digits] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return `\\${letter}${code.toString(16).toUpperCase().padStart(Number(digits), '0')}`;
};

/** Where a text stands. */
export interface TextPlace {
  /** Of its further lines. */
  readonly margin: string;
  /** Characters before it on its first line. */
  readonly column: number;
  /** Lines are broken at the first space beyond. */
  readonly width: number;
}

/** Breaks a line at single spaces once it's long enough; `inner` texts aren't broken at their first or last character. */
const fold = (text: string, place: TextPlace | undefined, style: 'plain' | 'single' | 'double'): string => {
  if (place === undefined || place.column + text.length <= place.width) return text;
  const { margin, width } = place;
  const chars = Array.from(text);
  let column = place.column + (style === 'plain' ? 0 : 1);
  let output = '';
  let afterSpace = false;
  chars.forEach((char, index) => {
    const isInner = style === 'plain' || (index > 0 && index < chars.length - 1);
    const nextIsSpace = chars[index + 1] === ' ';
    if (char === ' ' && !afterSpace && column > width && isInner && (style === 'double' || !nextIsSpace)) {
      output += `\n${margin}${nextIsSpace ? '\\' : ''}`;
      column = margin.length + (nextIsSpace ? 1 : 0);
    } else {
      output += char;
      column++;
    }
    afterSpace = char === ' ';
  });
  return output;
};

const doubleQuoted = (text: string, place?: TextPlace): string => {
  const escaped = text.replace(/[^ !#-[\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu, escapeChar);
  return `"${fold(escaped, place, 'double')}"`;
};

const singleQuoted = (text: string, place?: TextPlace): string =>
  `'${fold(text.replaceAll("'", "''"), place, 'single')}'`;

const literal = (text: string, margin: string): string => {
  const indentHint = /^[ \r\n]/.test(text) ? '2' : '';
  const chompHint = !/[\r\n\u0085\u2028\u2029]$/.test(text)
    ? '-'
    : /(?:^|[\r\n\u0085\u2028\u2029])[\r\n\u0085\u2028\u2029]$/.test(text)
      ? '+'
      : '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `|${indentHint}${chompHint}\n${lines.map((line) => (line === '' ? '' : margin + line)).join('\n')}`;
};

/** A key that is longer than a simple key may be, or has more than one line. */
export const isExplicitKey = (key: string): boolean => anyBreak.test(key) || byteLength(key) > 128;

/** A text as a scalar; without a place as a key, which stays on its line. */
export const encodeText = (text: string, place?: TextPlace): string => {
  const analysis = analyse(text);
  if (text.includes('\n')) {
    return analysis.literal && place !== undefined ? literal(text, place.margin) : doubleQuoted(text, place);
  }
  const readsAsText = resolvePlain(text).kind === 'string' && !sexagesimal.test(text);
  if (!readsAsText) return doubleQuoted(text, place);
  if (analysis.plain) return fold(text, place, 'plain');
  return analysis.singleQuoted ? singleQuoted(text, place) : doubleQuoted(text, place);
};
