import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  type Document,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import { FunctionError } from '../exec/template-error.ts';
import { formatFloat } from '../format/float.ts';
import { GoList, GoMap, type Value } from '../value/value.ts';
import { resolvePlain, type Resolved } from './resolve.ts';

/** Tags that ask for what a plain scalar may be anyway; of any other, a scalar is text. */
const resolvable = new Set(['!!bool', '!!int', '!!float', '!!null', '!!timestamp']);

const maxAliases = 10_000;

/** Walks a parsed document and gives its scalars the meaning that YAML 1.1 gives them. */
class Decoder {
  readonly #document: Document;
  /** Where a text ends that has no line break at the end of its last line. */
  readonly #cutAt: number;
  #aliases = 0;

  constructor(document: Document, text: string) {
    this.#document = document;
    this.#cutAt = /\S[ \t]*$/.test(text) ? text.length : Infinity;
  }

  value(node: unknown): Value {
    if (isAlias(node)) {
      if (++this.#aliases > maxAliases) throw new FunctionError('yaml: document contains excessive aliasing');
      const target = node.resolve(this.#document);
      if (target === undefined) throw new FunctionError(`yaml: unknown anchor '${node.source}' referenced`);
      return this.value(target);
    }
    if (isScalar(node)) return this.#scalar(node);
    if (isSeq(node)) return new GoList(node.items.map((item) => this.value(item)));
    if (isMap(node)) return this.#map(node);
    return null;
  }

  #resolve(node: Scalar): Resolved {
    const tag = node.tag?.replace('tag:yaml.org,2002:', '!!');
    const isPlain = node.type === Scalar.PLAIN || node.type === undefined;
    if (tag === undefined || tag === '')
      return isPlain ? resolvePlain(String(node.source ?? node.value ?? '')) : { kind: 'string' };
    return resolvable.has(tag) ? resolvePlain(String(node.value ?? '')) : { kind: 'string' };
  }

  #scalar(node: Scalar): Value {
    const resolved = this.#resolve(node);
    switch (resolved.kind) {
      case 'null':
        return null;
      case 'bool':
        return resolved.value;
      case 'int':
        return Number(resolved.value);
      case 'float':
        if (Number.isFinite(resolved.value)) return resolved.value;
        throw new FunctionError(`json: unsupported value: ${formatFloat(resolved.value, 'g', -1)}`);
      default:
        return this.#text(node);
    }
  }

  /** The last line of a block ends with a break only if it has one, whatever its header says. */
  #text({ value, type, range }: Scalar): string {
    const text = String(value ?? '');
    const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
    return isBlock && (range?.[1] ?? 0) >= this.#cutAt ? text.replace(/\n$/, '') : text;
  }

  #key(node: unknown): string {
    const value = this.value(node);
    if (typeof value === 'string') return value;
    if (typeof value === 'number')
      return Number.isInteger(value) ? BigInt(value).toString() : formatFloat(Math.fround(value), 'g', -1);
    if (typeof value === 'boolean') return String(value);
    throw new FunctionError('unsupported map key');
  }

  #map(node: YAMLMap): GoMap {
    const own = new Map<string, Value>();
    const merged = new Map<string, Value>();
    for (const pair of node.items) {
      if (!isPair(pair)) continue;
      if (isScalar(pair.key) && pair.key.type === Scalar.PLAIN && pair.key.value === '<<') {
        for (const [key, value] of this.#merged(pair.value)) if (!merged.has(key)) merged.set(key, value);
        continue;
      }
      const key = this.#key(pair.key);
      own.set(key, this.value(pair.value));
    }
    return new GoMap([...merged, ...own]);
  }

  #merged(node: unknown): readonly (readonly [string, Value])[] {
    const value = this.value(node);
    if (value instanceof GoMap) return [...value.entries];
    if (value instanceof GoList) return value.items.flatMap((item) => (item instanceof GoMap ? [...item.entries] : []));
    throw new FunctionError('yaml: map merge requires map or sequence of maps as the value');
  }
}

/** One document of YAML 1.1, the first of the text. Throws a FunctionError. */
export const decodeYaml = (text: string): Value => {
  const document = parseDocument<ParsedNode>(text, {
    schema: 'failsafe',
    version: '1.1',
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const error = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    const reason = error.message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
    throw new FunctionError(`yaml: ${line === undefined ? '' : `line ${line}: `}${reason}`);
  }
  return new Decoder(document, text).value(document.contents);
};
