import { FunctionError } from '../exec/template-error.ts';
import { quote } from '../text/quote.ts';
import { utf8Decode, utf8Encode } from '../text/utf8.ts';
import { codecs, fn, type FunctionTable } from '../value/function.ts';
import { GoMap } from '../value/value.ts';
import { kindOf, nilDereference } from './convert.ts';

const { map, string } = codecs;

interface Url {
  readonly scheme: string;
  readonly opaque: string;
  readonly userinfo: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** Which characters besides letters, digits and `-_.~` stand for themselves. */
const allowed = {
  path: "$&+,/:;=@!'()*",
  fragment: "$&+,/:;=?@!()*'",
  userinfo: '$&+,;=',
  host: '!$&\'()*+,;=:[]<>"',
} as const;

type Component = keyof typeof allowed;

const escape = (text: string, component: Component): string => {
  let output = '';
  for (const byte of utf8Encode(text)) {
    const char = String.fromCharCode(byte);
    const plain =
      /[A-Za-z0-9\-_.~]/.test(char) ||
      (allowed[component].includes(char) && !(component === 'path' && "!'()*".includes(char)));
    output += plain ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return output;
};

const unescape = (text: string): string => {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0];
  if (bad !== undefined) throw new FunctionError(`invalid URL escape ${quote(bad)}`);
  if (!text.includes('%')) return text;
  const bytes = utf8Encode(
    text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => utf8Decode(Uint8Array.of(Number.parseInt(hex, 16)))),
  );
  return utf8Decode(bytes);
};

const splitScheme = (text: string): readonly [scheme: string, rest: string] => {
  const match = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text);
  if (match !== null) return [match[1]!.toLowerCase(), text.slice(match[0].length)];
  if (text.startsWith(':')) throw new FunctionError('missing protocol scheme');
  return ['', text];
};

const splitAuthority = (authority: string): { readonly userinfo: string; readonly host: string } => {
  const at = authority.lastIndexOf('@');
  const host = unescape(authority.slice(at + 1));
  const port = /:([^:\]]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^[0-9]*$/.test(port))
    throw new FunctionError(`invalid port ${quote(`:${port}`)} after host`);
  if (/[\s]/.test(host)) throw new FunctionError(`invalid character ${quote(/\s/.exec(host)![0])} in host name`);
  if (at < 0) return { userinfo: '', host };
  const userinfo = authority
    .slice(0, at)
    .split(/:(.*)/s, 2)
    .map((part) => escape(unescape(part), 'userinfo'))
    .join(':');
  return { userinfo, host };
};

const parseParts = (text: string): Url => {
  if (/[^ -~\u0080-\u{10ffff}]/u.test(text)) throw new FunctionError('net/url: invalid control character in URL');
  const [withoutFragment, fragment = ''] = text.split(/#(.*)/s, 2) as [string, string?];
  const [scheme, afterScheme] = splitScheme(withoutFragment);
  const [rest, query = ''] = afterScheme.split(/\?(.*)/s, 2) as [string, string?];
  const none = { scheme, opaque: '', userinfo: '', host: '', query, fragment: unescape(fragment) };
  if (scheme !== '' && !rest.startsWith('/') && rest !== '') return { ...none, opaque: rest, path: '' };
  if (scheme === '' && /^[^/]*:/.test(rest)) throw new FunctionError('first path segment in URL cannot contain colon');
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return { ...none, path: unescape(rest) };
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return { ...none, ...splitAuthority(authority), path: slash < 0 ? '' : unescape(rest.slice(slash)) };
};

const parseUrl = (text: string): Url => {
  try {
    return parseParts(text);
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`parse ${quote(text)}: ${error.message}`);
  }
};

const hostname = (host: string): string => /^\[(.*)\](?::.*)?$/.exec(host)?.[1] ?? host.replace(/:[^:]*$/, '');

const urlParse = (text: string): GoMap => {
  try {
    const url = parseUrl(text);
    return new GoMap(Object.entries({ ...url, hostname: hostname(url.host) }));
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`unable to parse url: ${error.message}`);
  }
};

const textOf = ({ entries }: GoMap, key: string): string => {
  const value = entries.get(key);
  if (value === undefined && !entries.has(key)) return '';
  if (value === null || value === undefined) throw nilDereference();
  if (typeof value !== 'string') {
    throw new FunctionError(`unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`);
  }
  return value;
};

const formatUrl = ({ scheme, opaque, userinfo, host, path, query, fragment }: Url): string => {
  let output = scheme === '' ? '' : `${scheme}:`;
  if (opaque === '') {
    if (scheme !== '' || host !== '' || userinfo !== '') {
      if (host !== '' || path !== '' || userinfo !== '') output += '//';
      output += (userinfo === '' ? '' : `${userinfo}@`) + escape(host, 'host');
    }
    const escaped = escape(path, 'path');
    if (escaped !== '' && !escaped.startsWith('/') && host !== '') output += '/';
    if (output === '' && /^[^/]*:/.test(escaped)) output += './';
    output += escaped;
  } else {
    output += opaque;
  }
  return output + (query === '' ? '' : `?${query}`) + (fragment === '' ? '' : `#${escape(fragment, 'fragment')}`);
};

const urlJoin = (parts: GoMap): string => {
  const part = (key: string): string => textOf(parts, key);
  const url = {
    scheme: part('scheme'),
    host: part('host'),
    path: part('path'),
    query: part('query'),
    opaque: part('opaque'),
    fragment: part('fragment'),
  };
  const userinfo = part('userinfo');
  try {
    return formatUrl({ ...url, userinfo: userinfo === '' ? '' : parseUrl(`proto://${userinfo}@host`).userinfo });
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`unable to parse userinfo in dict: ${error.message}`);
  }
};

export const urlFunctions: FunctionTable = {
  urlParse: fn([string], map, urlParse),
  urlJoin: fn([map], string, urlJoin),
};
