import { FunctionError } from '../exec/template-error.ts';
import { formatValue } from '../format/value.ts';
import { quote } from '../text/quote.ts';
import { byteLength, byteSlice, compareText } from '../text/utf8.ts';
import { codecs, fn, variadic, type FunctionTable, type GoFunction } from '../value/function.ts';
import { GoList, type Value } from '../value/value.ts';
import { delimited, initials, lower, pascalCase, swapCase, title, untitle, upper, withoutSpace } from './case.ts';
import { runtimeError, toText, toTexts } from './convert.ts';
import { abbreviate, wrap } from './wrap.ts';

const { any, bool, int, string, strings, stringMap } = codecs;

const white = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const outerWhite = new RegExp(`^${white}+|${white}+$`, 'g');

const trimChars = (cutset: string, text: string): string => {
  const cut = new Set(cutset);
  const chars = Array.from(text);
  let [start, end] = [0, chars.length];
  while (start < end && cut.has(chars[start]!)) start++;
  while (end > start && cut.has(chars[end - 1]!)) end--;
  return chars.slice(start, end).join('');
};

const repeat = (text: string, count: number): string => {
  if (count < 0) throw new FunctionError('strings: negative Repeat count');
  return text.repeat(count);
};

const boundsError = (start: number | undefined, end: number, length: number): FunctionError => {
  if (start === undefined || end > length)
    return runtimeError(`slice bounds out of range [:${end}] with length ${length}`);
  return runtimeError(`slice bounds out of range [${start}:${end}]`);
};

const substr = (start: number, end: number, text: string): string => {
  const length = byteLength(text);
  if (start < 0) {
    if (end < 0) throw runtimeError(`slice bounds out of range [:${end}]`);
    if (end > length) throw boundsError(undefined, end, length);
    return byteSlice(text, 0, end);
  }
  const stop = end < 0 || end > length ? length : end;
  if (start > stop) throw boundsError(start, stop, length);
  return byteSlice(text, start, stop);
};

const trunc = (count: number, text: string): string => {
  const length = byteLength(text);
  if (count < 0) return length + count > 0 ? byteSlice(text, length + count) : text;
  return length > count ? byteSlice(text, 0, count) : text;
};

const indent = (count: number, text: string): string => {
  const padding = repeat(' ', count);
  return padding + text.replaceAll('\n', `\n${padding}`);
};

const present = (values: readonly Value[]): readonly Value[] =>
  values.filter((value) => value !== null && value !== undefined);

/** Go's `strings.Split`: an empty separator parts every rune, and nothing is one empty part. */
const splitText = (text: string, separator: string, limit = -1): readonly string[] => {
  if (limit === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
};

const numbered = (parts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(parts.map((part, index) => [`_${index}`, part]));

const onText = (change: (text: string) => string): GoFunction => fn([string], string, change);
const onTexts = (change: (first: string, second: string) => string): GoFunction => fn([string, string], string, change);
const test = (holds: (part: string, text: string) => boolean): GoFunction => fn([string, string], bool, holds);

const trimAll = onTexts(trimChars);

export const stringFunctions: FunctionTable = {
  abbrev: fn([int, string], string, (width, text) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: fn([int, int, string], string, (left, right, text) =>
    right < 4 || (left > 0 && right < 7) ? text : abbreviate(text, left, right),
  ),
  trunc: fn([int, string], string, trunc),
  trim: onText((text) => text.replace(outerWhite, '')),
  upper: onText(upper),
  lower: onText(lower),
  title: onText(title),
  untitle: onText(untitle),
  substr: fn([int, int, string], string, substr),
  repeat: fn([int, string], string, (count, text) => repeat(text, count)),
  trimall: trimAll,
  trimAll,
  trimSuffix: onTexts((suffix, text) =>
    suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  ),
  trimPrefix: onTexts((prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  nospace: onText(withoutSpace),
  initials: onText(initials),
  swapcase: onText(swapCase),
  snakecase: onText((text) => delimited(text, '_')),
  camelcase: onText(pascalCase),
  kebabcase: onText((text) => delimited(text, '-')),
  wrap: fn([int, string], string, (width, text) => wrap(text, width, '', false)),
  wrapWith: fn([int, string, string], string, (width, separator, text) => wrap(text, width, separator, true)),
  contains: test((part, text) => text.includes(part)),
  hasPrefix: test((prefix, text) => text.startsWith(prefix)),
  hasSuffix: test((suffix, text) => text.endsWith(suffix)),
  quote: variadic([], any, string, (values) =>
    present(values)
      .map((value) => quote(toText(value)))
      .join(' '),
  ),
  squote: variadic([], any, string, (values) =>
    present(values)
      .map((value) => `'${formatValue(value, 'v')}'`)
      .join(' '),
  ),
  cat: variadic([], any, string, (values) =>
    present(values)
      .map((value) => formatValue(value, 'v'))
      .join(' '),
  ),
  indent: fn([int, string], string, indent),
  nindent: fn([int, string], string, (count, text) => `\n${indent(count, text)}`),
  replace: fn([string, string, string], string, (old, replacement, text) =>
    old === '' ? ['', ...text, ''].join(replacement) : text.replaceAll(old, () => replacement),
  ),
  plural: fn([string, string, int], string, (one, many, count) => (count === 1 ? one : many)),
  toString: fn([any], string, toText),
  split: fn([string, string], stringMap, (separator, text) => numbered(splitText(text, separator))),
  splitn: fn([string, int, string], stringMap, (separator, limit, text) => numbered(splitText(text, separator, limit))),
  splitList: fn([string, string], strings, (separator, text) => splitText(text, separator)),
  toStrings: fn([any], strings, toTexts),
  join: fn([string, any], string, (separator, value) => toTexts(value).join(separator)),
  sortAlpha: fn([any], strings, (value) =>
    value instanceof GoList ? toTexts(value).toSorted(compareText) : [toText(value)],
  ),
  hello: fn([], string, () => 'Hello!'),
};
