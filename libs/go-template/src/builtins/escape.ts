import { sprint } from '../format/print.ts';
import { isPrint } from '../text/quote.ts';
import { utf8Encode } from '../text/utf8.ts';
import { codecs, variadic, type FunctionTable, type GoFunction } from '../value/function.ts';

const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const escapeHtml = (text: string): string => text.replace(/[\0"'&<>]/g, (char) => htmlEscapes[char]!);

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');

const escapeScriptChar = (char: string): string => {
  const code = char.codePointAt(0)!;
  if (char === '\\' || char === "'" || char === '"') return `\\${char}`;
  if (code >= 0x80 && isPrint(char)) return char;
  return `\\u${hex(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code)}`;
};

const escapeScript = (text: string): string => text.replace(/[\\'"<>&=]|[^ -\x7f]/gu, escapeScriptChar);

/** Go's `url.QueryEscape`. */
const escapeQuery = (text: string): string => {
  let escaped = '';
  for (const byte of utf8Encode(text)) {
    const char = String.fromCharCode(byte);
    if (/[A-Za-z0-9\-_.~]/.test(char)) escaped += char;
    else escaped += char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
};

const escaper = (escape: (text: string) => string): GoFunction =>
  variadic([], codecs.any, codecs.string, (values) =>
    escape(sprint(values.map((value) => (value === null || value === undefined ? '<no value>' : value)))),
  );

export const escapeFunctions: FunctionTable = {
  html: escaper(escapeHtml),
  js: escaper(escapeScript),
  urlquery: escaper(escapeQuery),
};
