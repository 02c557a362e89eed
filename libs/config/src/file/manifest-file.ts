import {
  type Config,
  configKeyText,
  type Diagnostic,
  parseConfig,
  type ParsedConfig,
  readYaml,
  splitDocuments,
  type Where,
  type YamlObject,
} from '@kedge/model';
import { type AdmissionOptions, hasErrors, isOfRevision, validateByRules } from '../admission.ts';
import { keyOf } from '../memory-source.ts';

/** What one document of a file came to, with lines counted from its start. */
interface ReadDocument {
  readonly objects: readonly Config[];
  readonly diagnostics: readonly Diagnostic[];
  /** Whether it could not even be read as YAML. */
  readonly broken: boolean;
}

/** What a file says, as far as it can be read. */
export interface FileContent {
  /** By {@link configKeyText}; of several with one key in the file, the first. */
  readonly objects: ReadonlyMap<string, Config>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether a file of that name holds objects. */
export const isManifest = (name: string): boolean => /\.(ya?ml|json)$/.test(name);

const NOTHING: FileContent = { objects: new Map(), diagnostics: [] };

/**
 * The objects of one file, read anew whenever the file changes. Documents whose text stays the same are not parsed
 * again, and their objects stay the identical values.
 */
export class ManifestFile {
  readonly #path: string;
  readonly #options: AdmissionOptions;
  #documents = new Map<string, ReadDocument>();
  #content = NOTHING;

  constructor(path: string, options: AdmissionOptions) {
    this.#path = path;
    this.#options = options;
  }

  get content(): FileContent {
    return this.#content;
  }

  /** Reads a new text. Where part of it is no YAML, the objects stay as they last were, and the errors are named. */
  update(text: string): FileContent {
    const documents = new Map<string, ReadDocument>();
    const objects = new Map<string, Config>();
    const diagnostics: Diagnostic[] = [];
    let broken = false;
    for (const { text: withMark, line: markLine } of splitDocuments(text)) {
      const mark = /^---[ \t]*\r?\n/.exec(withMark)?.[0].length ?? 0;
      const chunk = withMark.slice(mark);
      const line = mark > 0 ? markLine + 1 : markLine;
      const known = documents.get(chunk) ?? this.#documents.get(chunk) ?? this.#read(chunk, line);
      documents.set(chunk, known);
      broken ||= known.broken;
      diagnostics.push(...known.diagnostics.map((diagnostic) => below(diagnostic, line)));
      for (const object of known.objects) {
        const key = configKeyText(keyOf(object));
        const first = objects.get(key);
        if (first) diagnostics.push(duplicate(object, this.#path, line));
        else objects.set(key, object);
      }
    }
    this.#documents = documents;
    const keep = broken && this.#content !== NOTHING;
    this.#content = { objects: keep ? this.#content.objects : objects, diagnostics };
    return this.#content;
  }

  /** The file cannot be read at all: the objects stay, the reason is named. */
  fail(message: string): FileContent {
    const diagnostic: Diagnostic = {
      ...NO_OBJECT,
      severity: 'error',
      code: 'unreadable-file',
      message,
      file: this.#path,
    };
    this.#content = { objects: this.#content.objects, diagnostics: [diagnostic] };
    return this.#content;
  }

  #read(chunk: string, line: number): ReadDocument {
    const { objects, diagnostics } = readYaml(chunk, this.#path);
    const admitted = objects.map((object) => this.#admit(object));
    return {
      objects: admitted.flatMap(({ config }) => (config ? [placed(config, line)] : [])),
      diagnostics: [...diagnostics, ...admitted.flatMap((one) => one.diagnostics)],
      broken: diagnostics.length > 0,
    };
  }

  #admit(object: YamlObject): ParsedConfig {
    const where: Where = { file: this.#path, lineOf: (path) => object.lineOf(path) };
    const { config, diagnostics } = parseConfig(object.value, where);
    if (!config) return { diagnostics };
    if (!isOfRevision(config, this.#options.revision)) return { diagnostics: [] };
    const all = [...diagnostics, ...(this.#options.validate ?? validateByRules)(config, where)];
    return hasErrors(all) ? { diagnostics: all } : { config, diagnostics: all };
  }
}

/** The object with its line in the file at the time of reading; what changes above it later doesn't make it another. */
const placed = (config: Config, line: number): Config =>
  config.source ? { ...config, source: { ...config.source, line: config.source.line + line - 1 } } : config;

const NO_OBJECT = { kind: '', namespace: '', name: '', field: '' };

const below = (diagnostic: Diagnostic, line: number): Diagnostic =>
  diagnostic.line === undefined ? diagnostic : { ...diagnostic, line: diagnostic.line + line - 1 };

function duplicate({ kind, namespace, name }: Config, file: string, line: number): Diagnostic {
  const message = 'the file defines this object more than once; the first definition counts';
  return { severity: 'error', code: 'duplicate-object', kind, namespace, name, field: '', message, file, line };
}
