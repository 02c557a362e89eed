import { FunctionError } from '../exec/template-error.ts';
import { formatFloat } from '../format/float.ts';
import { formatValue } from '../format/value.ts';
import { encodeJson } from '../json/encode.ts';
import { types } from '../value/type.ts';
import { GoList, GoMap, GoStruct, integerOf, typeName, type Value } from '../value/value.ts';
import { compareKeys } from './key-order.ts';
import { resolvePlain } from './resolve.ts';
import { encodeText, isExplicitKey, type TextPlace } from './scalar.ts';

type Place = Omit<TextPlace, 'width'>;

interface Block {
  readonly kind: 'inline' | 'map' | 'list';
  readonly text: string;
}

const inline = (text: string): Block => ({ kind: 'inline', text });

const specialNumbers: Readonly<Record<string, string>> = { NaN: '.nan', Infinity: '.inf', '-Infinity': '-.inf' };

/** Numbers pass through JSON on their way: a float without a fraction comes out as an integer. */
const encodeNumber = (value: number, { pretty }: YamlOptions): string => {
  if (pretty === true) return specialNumbers[String(value)] ?? formatFloat(value, 'g', -1);
  if (!Number.isFinite(value)) throw new FunctionError(`json: unsupported value: ${formatValue(value, 'v')}`);
  const resolved = resolvePlain(String(value));
  return resolved.kind === 'int' ? resolved.value.toString() : formatFloat(value, 'g', -1);
};

const entry = (lead: string, block: Block, margin: string): string => {
  if (block.kind === 'inline') return `${lead} ${block.text}`;
  return `${lead}\n${margin}${block.text}`;
};

export interface YamlOptions {
  /** Lists in maps stand further in than their keys, lines aren't folded, and numbers are written as Go prints them. */
  readonly pretty?: boolean;
}

const widthOf = ({ pretty }: YamlOptions): number => (pretty === true ? Infinity : 80);

const encodeMap = (entries: Iterable<readonly [string, Value]>, margin: string, options: YamlOptions): Block => {
  const sorted = [...entries].sort(([left], [right]) => compareKeys(left, right));
  if (sorted.length === 0) return inline('{}');
  const inner = `${margin}  `;
  const lines = sorted.map(([key, value]) => {
    if (isExplicitKey(key)) {
      const name = encodeText(key, { margin: inner, column: inner.length, width: widthOf(options) });
      return `? ${name}\n${margin}: ${encodeBlock(value, inner, { margin: inner, column: inner.length }, options).text}`;
    }
    const name = `${encodeText(key)}:`;
    // A list stands below its key without an indent of its own.
    const below = value instanceof GoList && options.pretty !== true ? margin : inner;
    const column = margin.length + Array.from(name).length + 1;
    return entry(name, encodeBlock(value, below, { margin: inner, column }, options), below);
  });
  return { kind: 'map', text: lines.join(`\n${margin}`) };
};

const encodeList = (items: readonly Value[], margin: string, options: YamlOptions): Block => {
  if (items.length === 0) return inline('[]');
  const inner = `${margin}  `;
  return {
    kind: 'list',
    text: items
      .map((item) => `- ${encodeBlock(item, inner, { margin: inner, column: inner.length }, options).text}`)
      .join(`\n${margin}`),
  };
};

/** `margin` is that of the lines of a map or list after its first, `place` where a text stands. */
const encodeBlock = (value: Value, margin: string, place: Place, options: YamlOptions): Block => {
  if (value === null || value === undefined) return inline('null');
  if (typeof value === 'string') {
    const text = value.isWellFormed() ? value : value.replace(/\p{Cs}/gu, '\ufffd');
    return inline(encodeText(text, { ...place, width: widthOf(options) }));
  }
  if (typeof value === 'number') return inline(encodeNumber(value, options));
  if (typeof value === 'boolean') return inline(String(value));
  const integer = integerOf(value);
  if (integer !== undefined) return inline(integer.toString());
  if (value instanceof GoList) {
    if (value.isNil) return inline('null');
    if (value.type.elem === types.byte)
      return encodeBlock(JSON.parse(encodeJson(value)) as string, margin, place, options);
    return encodeList(value.items, margin, options);
  }
  if (value instanceof GoMap) return value.isNil ? inline('null') : encodeMap(value.entries, margin, options);
  if (value instanceof GoStruct) {
    if (typeof value.json === 'string') return encodeBlock(value.json, margin, place, options);
    return encodeMap(value.json ?? value.fields, margin, options);
  }
  throw new FunctionError(`json: unsupported type: ${typeName(value)}`);
};

/** YAML as Kubernetes' tools write it: keys sorted, lists not indented, no line folded. Without a line break at its end. */
export const encodeYaml = (value: Value, options: YamlOptions = {}): string =>
  encodeBlock(value, '', { margin: '', column: 0 }, options).text;
