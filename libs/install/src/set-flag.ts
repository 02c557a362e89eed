import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import { InstallError } from './install-error.ts';
import { parsePath, type Step } from './path.ts';

/** Paths whose values stay text, however much they look like numbers. */
const TEXTS = [
  'tag',
  'compatibilityVersion',
  'values.compatibilityVersion',
  'values.global.tag',
  'meshConfig.defaultConfig.proxyMetadata.',
  'values.meshConfig.defaultConfig.proxyMetadata.',
];

/** The spec after `--set PATH=VALUE`. Throws an InstallError where the path cannot be followed. */
export function applySetFlag(spec: JsonObject, flag: string): JsonObject {
  const at = flag.indexOf('=');
  const [path, text] = at < 0 ? [flag, ''] : [flag.slice(0, at).trim(), flag.slice(at + 1).trim()];
  const value = TEXTS.some((prefix) => path.startsWith(prefix)) ? text : parseScalar(text);
  const steps = parsePath(path);
  if (steps.length === 0) throw new InstallError(`--set ${flag}: there is no path before "="`);
  try {
    return setPath(spec, steps, value) as JsonObject;
  } catch (error) {
    throw error instanceof InstallError ? new InstallError(`--set ${flag}: ${error.message}`) : error;
  }
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const TRUE: ReadonlySet<string> = new Set(['t', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['f', 'F', 'FALSE', 'false', 'False']);

/** What a value means: a number, a boolean, else the text, in which `\,` is a comma. */
export function parseScalar(text: string): Json {
  if (NUMBER.test(text)) return Number(text);
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  return text.replaceAll('\\,', ',');
}

/** A tree with a value set; objects and lists that are missing on the way are made. */
function setPath(tree: Json | undefined, steps: readonly Step[], value: Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step.kind === 'key') {
    if (tree !== undefined && tree !== null && !isJsonObject(tree))
      throw new InstallError(`"${step.text}" is looked for in what is no object`);
    const object = tree ?? {};
    return { ...object, [step.key]: setPath(object[step.key], rest, value) };
  }
  if (tree !== undefined && tree !== null && !Array.isArray(tree))
    throw new InstallError(`${step.text} is looked for in what is no list`);
  const list = (tree ?? []) as readonly Json[];
  const at = placeIn(list, step);
  const element = setPath(list[at], rest, value);
  return at < list.length ? list.with(at, element) : [...list, element];
}

function placeIn(list: readonly Json[], step: Exclude<Step, { kind: 'key' }>): number {
  if (step.kind === 'index') return step.index >= 0 && step.index < list.length ? step.index : list.length;
  const at = step.kind === 'field' ? findByField(list, step) : -1;
  if (at < 0) throw new InstallError(`element ${step.text} not found`);
  return at;
}

/** The place of the element that has a field of a value, which are compared as texts. */
export const findByField = (
  list: readonly Json[],
  { field, value }: { readonly field: string; readonly value: string },
): number => list.findIndex((element) => isJsonObject(element) && String(element[field]) === value);
