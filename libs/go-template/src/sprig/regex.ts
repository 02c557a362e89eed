import { RE2JS } from 're2js';
import { FunctionError } from '../exec/template-error.ts';
import { canBackquote, quote } from '../text/quote.ts';
import { codecs, fn, type FunctionTable } from '../value/function.ts';
import { stringList, type Value } from '../value/value.ts';

const { any, bool, int, string } = codecs;

/** Start and end of a match and of its groups; -1 for a group that took no part. */
type Match = readonly { readonly start: number; readonly end: number }[];

const compile = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new FunctionError(error instanceof Error ? error.message : String(error));
  }
};

/** What Go's MustCompile panics with. */
const mustCompile = (pattern: string): RE2JS => {
  try {
    return compile(pattern);
  } catch (error) {
    const shown = canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern);
    throw new FunctionError(`regexp: Compile(${shown}): ${(error as FunctionError).message}`);
  }
};

/** Matches from left to right; an empty one right after another doesn't count. */
const findAll = (regex: RE2JS, text: string, limit: number): Match[] => {
  const matcher = regex.matcher(text);
  const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => group);
  const matches: Match[] = [];
  let previousEnd = -1;
  for (let at = 0; at <= text.length && (limit < 0 || matches.length < limit) && matcher.find(at);) {
    const match = groups.map((group) => ({ start: matcher.start(group), end: matcher.end(group) }));
    const { start, end } = match[0]!;
    if (end > start || start !== previousEnd) matches.push(match);
    previousEnd = end;
    at = end > start ? end : end + String.fromCodePoint(text.codePointAt(end) ?? 0).length;
  }
  return matches;
};

/** `$1`, `${name}` and `$$` of a replacement. */
const expand = (regex: RE2JS, replacement: string, text: string, match: Match): string =>
  replacement.replace(/\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu, (_, bare?: string, braced?: string) => {
    const name = bare ?? braced;
    if (name === undefined) return '$';
    const names = regex.namedGroups() as Readonly<Record<string, number>>;
    const group = match[/^[0-9]+$/.test(name) ? Number(name) : (names[name] ?? -1)];
    return group === undefined || group.start < 0 ? '' : text.slice(group.start, group.end);
  });

const replace = (regex: RE2JS, text: string, replacement: (match: Match) => string): string => {
  let output = '';
  let at = 0;
  for (const match of findAll(regex, text, -1)) {
    const { start, end } = match[0]!;
    output += text.slice(at, start) + replacement(match);
    at = end;
  }
  return output + text.slice(at);
};

const matched = (text: string, match: Match): string => text.slice(match[0]!.start, match[0]!.end);

const split = (regex: RE2JS, text: string, limit: number): readonly string[] | undefined => {
  if (limit === 0) return undefined;
  if (regex.pattern() !== '' && text === '') return [''];
  const parts: string[] = [];
  let [begin, end] = [0, 0];
  for (const match of findAll(regex, text, limit)) {
    if (limit > 0 && parts.length === limit - 1) break;
    end = match[0]!.start;
    if (match[0]!.end !== 0) parts.push(text.slice(begin, end));
    begin = match[0]!.end;
  }
  if (end !== text.length) parts.push(text.slice(begin));
  return parts;
};

/** A list of texts, the nil one where Go gives none. */
const texts = { ...any, type: stringList([]).type };
const encodeTexts = (items: readonly string[] | undefined): Value =>
  stringList(items ?? [], items === undefined || items.length === 0);

const table = (prepare: (pattern: string) => RE2JS): FunctionTable => ({
  regexFindAll: fn([string, string, int], texts, (pattern, text, limit) =>
    encodeTexts(findAll(prepare(pattern), text, limit).map((match) => matched(text, match))),
  ),
  regexFind: fn([string, string], string, (pattern, text) => {
    const [match] = findAll(prepare(pattern), text, 1);
    return match === undefined ? '' : matched(text, match);
  }),
  regexReplaceAll: fn([string, string, string], string, (pattern, text, replacement) => {
    const regex = prepare(pattern);
    return replace(regex, text, (match) => expand(regex, replacement, text, match));
  }),
  regexReplaceAllLiteral: fn([string, string, string], string, (pattern, text, replacement) =>
    replace(prepare(pattern), text, () => replacement),
  ),
  regexSplit: fn([string, string, int], texts, (pattern, text, limit) =>
    encodeTexts(split(prepare(pattern), text, limit)),
  ),
});

const matches = (pattern: string, text: string): boolean => compile(pattern).matcher(text).find();

export const regexFunctions: FunctionTable = {
  ...table(mustCompile),
  ...Object.fromEntries(
    Object.entries(table(compile)).map(([name, implementation]) => [`mustR${name.slice(1)}`, implementation]),
  ),
  regexMatch: fn([string, string], bool, (pattern, text) => {
    try {
      return matches(pattern, text);
    } catch {
      return false;
    }
  }),
  mustRegexMatch: fn([string, string], bool, matches),
  regexQuoteMeta: fn([string], string, (text) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
};
