import {
  type Document,
  LineCounter,
  type Node,
  type Pair,
  Scalar,
  type ScalarTag,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from 'yaml';
import type { Diagnostic } from '../diagnostic.ts';
import type { FieldPath } from './field-path.ts';
import { isJsonObject } from './json.ts';
import { jsonName } from './message.ts';
import { type ParsedConfig, parseConfig } from './parse-config.ts';

/** One object of a file. */
export interface YamlObject {
  readonly value: unknown;
  /**
   * One-based line of a field given in JSON names, or of the nearest field around it that is there. Computed when asked
   * for, from the document's syntax tree.
   */
  lineOf(path: FieldPath): number;
}

export interface YamlFile {
  readonly objects: readonly YamlObject[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The booleans of YAML 1.1, which manifests for Kubernetes may use: `yes`, `off`, `n`. */
const yaml11Bool: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
};

/**
 * Reads a file of YAML documents (or JSON). Each document stands for itself: one with an error gives a diagnostic and the
 * others survive. Empty documents are left out, lists (`kind: List`) give their items. Never throws.
 */
export function readYaml(text: string, file = ''): YamlFile {
  const objects: YamlObject[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const chunk of splitDocuments(text)) {
    const lineCounter = new LineCounter();
    const document = parseDocument(chunk.text, {
      lineCounter,
      prettyErrors: false,
      // What is odd about a document is told by diagnostics, not on the console.
      logLevel: 'error',
      merge: true,
      customTags: (tags) => [...tags, yaml11Bool],
    });
    try {
      const [error] = document.errors;
      if (error) throw error;
      if (/::\s*[,\]]/.test(chunk.text)) joinTrailingColons(document);
      const value: unknown = document.toJS();
      if (value === null || value === undefined) continue;
      objects.push(...expandList(value, new Lines(document, lineCounter, chunk.line)));
    } catch (error) {
      const offset = error instanceof Error && 'pos' in error && Array.isArray(error.pos) ? Number(error.pos[0]) : 0;
      const message = error instanceof Error ? error.message : String(error);
      const line = chunk.line + lineCounter.linePos(offset).line - 1;
      diagnostics.push({ ...NO_OBJECT, severity: 'error', code: 'yaml-syntax', field: '', message, file, line });
    }
  }
  return { objects, diagnostics };
}

/** In a flow list YAML 1.2 takes `2001:db8::` for a key without value; YAML 1.1 readers, and all users, for a text. */
function joinTrailingColons(document: Document): void {
  visit(document, {
    Map(index, map, path) {
      const [pair] = map.items;
      const implicit = isSeq(path.at(-1)) && map.flow === true && map.items.length === 1 && typeof index === 'number';
      if (!implicit || !isScalar(pair?.key) || !isScalar(pair.value) || pair.value.value !== null) return;
      if (!pair.key.source?.endsWith(':')) return;
      const scalar = new Scalar(`${pair.key.source}:`);
      scalar.range = map.range;
      return scalar;
    },
  });
}

const NO_OBJECT = { kind: '', namespace: '', name: '' };

/** Reads all objects of a file; see {@link readYaml} and {@link parseConfig}. */
export function parseConfigFile(text: string, file: string): readonly ParsedConfig[] {
  const { objects, diagnostics } = readYaml(text, file);
  const parsed = objects.map((object) => parseConfig(object.value, { file, lineOf: (path) => object.lineOf(path) }));
  return diagnostics.length > 0 ? [...parsed, { diagnostics }] : parsed;
}

interface Chunk {
  readonly text: string;
  /** One-based line on which the chunk starts. */
  readonly line: number;
}

/** Cuts the text at its `---` lines, so that no error reaches over one. */
export function* splitDocuments(text: string): Generator<Chunk> {
  let start = 0;
  let line = 1;
  const chunk = (end: number): Chunk => ({ text: text.slice(start, end), line });
  for (const separator of text.matchAll(/^---(?=\s|$)/gm)) {
    const before = chunk(separator.index);
    if (hasContent(before.text)) yield before;
    line += countNewlines(before.text);
    start = separator.index;
  }
  const last = chunk(text.length);
  if (hasContent(last.text)) yield last;
}

/** Whether there is more than comments, directives and the separator. */
function hasContent(text: string): boolean {
  return /^[ \t]*[^\s#%]/m.test(text.replace(/^(?:\uFEFF)?(?:---(?=\s|$))?/, ''));
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function expandList(value: unknown, lines: Lines): YamlObject[] {
  if (isJsonObject(value) && typeof value.kind === 'string' && /List$/.test(value.kind) && Array.isArray(value.items)) {
    return value.items.map((item, i) => ({ value: item, lineOf: (path) => lines.of(['items', i, ...path]) }));
  }
  return [{ value, lineOf: (path) => lines.of(path) }];
}

/** Finds the lines of fields in a document. */
class Lines {
  readonly #document: Document;
  readonly #counter: LineCounter;
  readonly #firstLine: number;

  constructor(document: Document, counter: LineCounter, firstLine: number) {
    this.#document = document;
    this.#counter = counter;
    this.#firstLine = firstLine;
  }

  of(path: FieldPath): number {
    let node: unknown = this.#document.contents;
    let offset = startOf(node) ?? 0;
    for (const key of path) {
      const place: unknown = typeof key === 'number' ? seqItem(node, key) : mapPair(node, key)?.key;
      if (place === undefined) break;
      offset = startOf(place) ?? offset;
      node = typeof key === 'number' ? place : mapPair(node, key)?.value;
    }
    return this.#firstLine + this.#counter.linePos(offset).line - 1;
  }
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0];
}

function seqItem(node: unknown, index: number): unknown {
  return isSeq(node) ? node.items[index] : undefined;
}

/** The pair with the key, in JSON or proto spelling. */
function mapPair(node: unknown, name: string): Pair | undefined {
  if (!isMap(node)) return undefined;
  const keyOf = ({ key }: Pair) => (isScalar(key) ? String(key.value) : '');
  return node.items.find((pair) => keyOf(pair) === name) ?? node.items.find((pair) => jsonName(keyOf(pair)) === name);
}
