import { validateOperator } from '@kedge/install';
import {
  type CheckEnvoyMessage,
  type Diagnostic,
  isJsonObject,
  type JsonObject,
  lookupKind,
  parseConfig,
  readYaml,
  validateConfig,
  type YamlObject,
} from '@kedge/model';
import { deploymentNote, serviceProblems } from './conventions.ts';

export interface ValidateOptions {
  /** Namespace of objects that name none. */
  readonly namespace: string;
  readonly istioNamespace: string;
  readonly checkEnvoyMessage?: CheckEnvoyMessage;
}

export interface TextFindings {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** What may be amiss in objects that are none of the mesh's. */
  readonly notes: readonly string[];
}

/** What is wrong or doubtful with the objects of a text. Kinds that the mesh does not know are taken as they are. */
export function validateText(file: string, text: string, options: ValidateOptions): TextFindings {
  const { objects, diagnostics } = readYaml(text, file);
  const unread = diagnostics.map(({ message, line = 1 }) => {
    const [, key = ''] = /^\s*(?:- +)?["']?([^"':]+)["']?\s*:/.exec(text.split('\n')[line - 1] ?? '') ?? [];
    const problem = message.startsWith('Map keys must be unique') ? `key "${key}" already set in map` : message;
    return `failed to decode file ${file}: line ${line}: ${problem}`;
  });
  const found = objects.map((object) => validateObject(object, file, options));
  return {
    errors: [...unread, ...found.flatMap(({ errors }) => errors)],
    warnings: found.flatMap(({ warnings }) => warnings),
    notes: found.flatMap(({ notes }) => notes),
  };
}

const NOTHING: TextFindings = { errors: [], warnings: [], notes: [] };
const TOP_LEVEL: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);

function validateObject({ value, lineOf }: YamlObject, file: string, options: ValidateOptions): TextFindings {
  if (!isJsonObject(value)) return { ...NOTHING, errors: [`failed to decode file ${file}: is no object`] };
  const { apiVersion, kind, metadata } = value;
  const { name = '', namespace = '' } = (isJsonObject(metadata) ? metadata : {}) as Readonly<Record<string, string>>;
  const named = (text: string): string => `${String(kind)}/${namespace}/${name}: ${text}`;
  const isOperator = kind === 'IstioOperator' && apiVersion === 'install.istio.io/v1alpha1';
  if (isOperator || lookupKind(String(apiVersion), String(kind)) !== undefined) {
    const unknown = Object.keys(value).filter((key) => !TOP_LEVEL.has(key));
    if (unknown.length > 0) return { ...NOTHING, errors: unknown.map((key) => named(`unknown field "${key}"`)) };
    const { errors, warnings } = isOperator
      ? validateOperator(value)
      : validateIstio(value, { file, lineOf: (path) => lineOf(path) }, options);
    return { ...NOTHING, errors: errors.map(named), warnings: warnings.map(named) };
  }
  if (namespace === options.istioNamespace) return NOTHING;
  if (kind === 'Service') return { ...NOTHING, errors: serviceProblems(value, name, namespace).map(named) };
  return kind === 'Deployment' ? { ...NOTHING, notes: deploymentNote(value, name, namespace) } : NOTHING;
}

type Where = NonNullable<Parameters<typeof parseConfig>[1]>;

function validateIstio(object: JsonObject, where: Where, { namespace, checkEnvoyMessage }: ValidateOptions) {
  const metadata = { namespace, ...(isJsonObject(object.metadata) ? object.metadata : {}) };
  const { config, diagnostics } = parseConfig({ ...object, metadata }, where);
  const isUnknown = ({ code }: Diagnostic): boolean => code === 'unknown-field';
  const parsing = diagnostics.map((found) => (isUnknown(found) ? { ...found, severity: 'error' as const } : found));
  const isReadable = config !== undefined && !parsing.some(({ severity }) => severity === 'error');
  const all = isReadable
    ? [...parsing, ...validateConfig(config, { where, ...(checkEnvoyMessage && { checkEnvoyMessage }) })]
    : parsing;
  const texts = (severity: Diagnostic['severity']): readonly string[] =>
    all.filter((found) => found.severity === severity).map(textOf);
  return { errors: texts('error'), warnings: texts('warning') };
}

const textOf = ({ field, message, line }: Diagnostic): string =>
  `${field && `${field}: `}${message}${line === undefined ? '' : ` (line ${line})`}`;
