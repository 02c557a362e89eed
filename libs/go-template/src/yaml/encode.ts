import { FunctionError } from '../exec/template-error.ts';
import { formatFloat } from '../format/float.ts';
import { formatValue } from '../format/value.ts';
import { encodeJson } from '../json/encode.ts';
import { types } from '../value/type.ts';
import { GoList, GoMap, GoStruct, integerOf, typeName, type Value } from '../value/value.ts';
import { compareKeys } from './key-order.ts';
import { resolvePlain } from './resolve.ts';
import { encodeText } from './scalar.ts';

interface Block {
  readonly kind: 'inline' | 'map' | 'list';
  readonly text: string;
}

const inline = (text: string): Block => ({ kind: 'inline', text });

/** Numbers pass through JSON on their way: a float without a fraction comes out as an integer. */
const encodeNumber = (value: number): string => {
  if (!Number.isFinite(value)) throw new FunctionError(`json: unsupported value: ${formatValue(value, 'v')}`);
  const resolved = resolvePlain(String(value));
  return resolved.kind === 'int' ? resolved.value.toString() : formatFloat(value, 'g', -1);
};

const entry = (lead: string, block: Block, margin: string): string => {
  if (block.kind === 'inline') return `${lead} ${block.text}`;
  return `${lead}\n${margin}${block.text}`;
};

export interface YamlOptions {
  /** Whether lists in maps stand further in than their keys. */
  readonly indentLists?: boolean;
}

const encodeMap = (entries: Iterable<readonly [string, Value]>, margin: string, options: YamlOptions): Block => {
  const sorted = [...entries].sort(([left], [right]) => compareKeys(left, right));
  if (sorted.length === 0) return inline('{}');
  const lines = sorted.map(([key, value]) => {
    const name = encodeText(key);
    const lead = name.length > 128 ? `? ${name}\n${margin}:` : `${name}:`;
    // A list stands below its key without an indent of its own.
    const isList = value instanceof GoList && options.indentLists !== true;
    const inner = isList ? margin : `${margin}  `;
    const block = encodeBlock(value, inner, `${margin}  `, options);
    return entry(lead, block, inner);
  });
  return { kind: 'map', text: lines.join(`\n${margin}`) };
};

const encodeList = (items: readonly Value[], margin: string, options: YamlOptions): Block => {
  if (items.length === 0) return inline('[]');
  const inner = `${margin}  `;
  return {
    kind: 'list',
    text: items.map((item) => `- ${encodeBlock(item, inner, inner, options).text}`).join(`\n${margin}`),
  };
};

/** `margin` is that of the lines of a map or list after its first, `textMargin` that of a text's lines. */
const encodeBlock = (value: Value, margin: string, textMargin: string, options: YamlOptions): Block => {
  if (value === null || value === undefined) return inline('null');
  if (typeof value === 'string') {
    const text = value.isWellFormed() ? value : value.replace(/\p{Cs}/gu, '\ufffd');
    return inline(encodeText(text, textMargin));
  }
  if (typeof value === 'number') return inline(encodeNumber(value));
  if (typeof value === 'boolean') return inline(String(value));
  const integer = integerOf(value);
  if (integer !== undefined) return inline(integer.toString());
  if (value instanceof GoList) {
    if (value.isNil) return inline('null');
    if (value.type.elem === types.byte)
      return encodeBlock(JSON.parse(encodeJson(value)) as string, margin, textMargin, options);
    return encodeList(value.items, margin, options);
  }
  if (value instanceof GoMap) return value.isNil ? inline('null') : encodeMap(value.entries, margin, options);
  if (value instanceof GoStruct) {
    if (typeof value.json === 'string') return encodeBlock(value.json, margin, textMargin, options);
    return encodeMap(value.json ?? value.fields, margin, options);
  }
  throw new FunctionError(`json: unsupported type: ${typeName(value)}`);
};

/** YAML as Kubernetes' tools write it: keys sorted, lists not indented, no line folded. Without a line break at its end. */
export const encodeYaml = (value: Value, options: YamlOptions = {}): string => encodeBlock(value, '', '', options).text;
