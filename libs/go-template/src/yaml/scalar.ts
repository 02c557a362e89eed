import { resolvePlain } from './resolve.ts';

/** What about a text decides how it can be written. */
interface Analysis {
  readonly multiline: boolean;
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
  if (text === '') return { multiline: false, plain: true, singleQuoted: true, literal: false };
  const unsafe = unprintable.test(text) || spaceThenBreak.test(text);
  const breakSpace = breakThenSpace.test(text);
  const multiline = anyBreak.test(text);
  return {
    multiline,
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

const doubleQuoted = (text: string): string =>
  `"${text.replace(/[^ !#-[\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu, escapeChar)}"`;

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

/** A text as a scalar; `margin` is that of the lines of a block, undefined for keys, which stay on their line. */
export const encodeText = (text: string, margin?: string): string => {
  const { multiline, plain, singleQuoted, literal: block } = analyse(text);
  const isKey = margin === undefined;
  if (text.includes('\n') && !isKey) return block ? literal(text, margin) : doubleQuoted(text);
  const readsAsText = resolvePlain(text).kind === 'string' && !sexagesimal.test(text);
  if (!readsAsText || (isKey && multiline)) return doubleQuoted(text);
  if (plain) return text;
  return singleQuoted ? `'${text.replaceAll("'", "''")}'` : doubleQuoted(text);
};
