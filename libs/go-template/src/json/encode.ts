import { FunctionError } from '../exec/template-error.ts';
import { bytesText, formatValue } from '../format/value.ts';
import { utf8Encode } from '../text/utf8.ts';
import { types } from '../value/type.ts';
import { GoList, GoMap, GoStruct, integerOf, typeName, type Value } from '../value/value.ts';

interface JsonOptions {
  /** Of each level; everything on one line without it. */
  readonly indent?: string;
  /** Whether `<`, `>` and `&` are written as escapes. */
  readonly escapeHtml: boolean;
}

const alwaysEscaped: Readonly<Record<string, string>> = { '\u2028': '\\u2028', '\u2029': '\\u2029', '\x7f': '\x7f' };
const htmlEscapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

const encodeText = (text: string, escapeHtml: boolean): string => {
  const quoted = JSON.stringify(text.isWellFormed() ? text : text.replace(/\p{Cs}/gu, '\ufffd'));
  const safe = quoted.replace(/[\u2028\u2029]/g, (char) => alwaysEscaped[char]!);
  return escapeHtml ? safe.replace(/[<>&]/g, (char) => htmlEscapes[char]!) : safe;
};

const encodeNumber = (value: number): string => {
  if (!Number.isFinite(value)) throw new FunctionError(`json: unsupported value: ${formatValue(value, 'v')}`);
  return Object.is(value, -0) ? '-0' : String(value);
};

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Go's `json.Marshal`: keys of maps sorted. Throws a FunctionError for what JSON cannot hold. */
export const encodeJson = (value: Value, options: JsonOptions = { escapeHtml: true }, depth = 0): string => {
  const { indent, escapeHtml } = options;
  const encode = (inner: Value): string => encodeJson(inner, options, depth + 1);
  const frame = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0) return open + close;
    if (indent === undefined) return open + parts.join(',') + close;
    const margin = `\n${indent.repeat(depth + 1)}`;
    return `${open}${margin}${parts.join(`,${margin}`)}\n${indent.repeat(depth)}${close}`;
  };
  const object = (entries: Iterable<readonly [string, Value]>): string =>
    frame(
      '{',
      Array.from(
        entries,
        ([key, item]) => `${encodeText(key, escapeHtml)}:${indent === undefined ? '' : ' '}${encode(item)}`,
      ),
      '}',
    );

  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return encodeText(value, escapeHtml);
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'boolean') return String(value);
  const integer = integerOf(value);
  if (integer !== undefined) return integer.toString();
  if (value instanceof GoList) {
    if (value.isNil) return 'null';
    if (value.type.elem === types.byte) return encodeText(base64(utf8Encode(bytesText(value))), false);
    return frame('[', value.items.map(encode), ']');
  }
  if (value instanceof GoMap) {
    return value.isNil ? 'null' : object(value.sortedKeys().map((key) => [key, value.entries.get(key)] as const));
  }
  if (value instanceof GoStruct) {
    return typeof value.json === 'string' ? encodeText(value.json, escapeHtml) : object(value.json ?? value.fields);
  }
  throw new FunctionError(`json: unsupported type: ${typeName(value)}`);
};
