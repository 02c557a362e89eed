import { isJsonObject, type Json, type JsonObject, readYaml } from '@kedge/model';
import { InstallError } from './install-error.ts';
import { parsePath, type Step } from './path.ts';
import { findByField } from './set-flag.ts';

/** A change of a generated object, as `k8s.overlays` has them. Without a value what is at the path is removed. */
export interface OverlayPatch {
  readonly path?: string;
  readonly value?: Json;
}

/** Applies a patch. Throws an InstallError where the path leads nowhere. */
export function applyOverlayPatch(object: JsonObject, { path = '', value }: OverlayPatch): JsonObject {
  const steps = parsePath(path);
  if (steps.length === 0) throw new InstallError(`an overlay patch has no path`);
  const change = value === undefined || value === null ? REMOVE : structured(value);
  return patchAt(object, steps, change, path) as JsonObject;
}

const REMOVE = Symbol('remove');
type Change = Json | typeof REMOVE;

function patchAt(node: Json | undefined, steps: readonly Step[], change: Change, path: string): Change | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change;
  if (Array.isArray(node)) return patchList(node, step, rest, change, path);
  if (node !== undefined && node !== null && !isJsonObject(node))
    throw new InstallError(`path ${path}: ${step.text} is looked for in a single value`);
  if (step.kind !== 'key') {
    if (node !== undefined && node !== null)
      throw new InstallError(`path ${path}: ${step.text} is looked for in an object`);
    return patchList([], step, rest, change, path);
  }
  const { [step.key]: own, ...others } = node ?? {};
  const changed = patchAt(own, rest, change, path);
  if (changed === REMOVE || changed === undefined) return others;
  return { ...others, [step.key]: changed };
}

function patchList(
  list: readonly Json[],
  step: Step,
  rest: readonly Step[],
  change: Change,
  path: string,
): readonly Json[] {
  const at = placeOf(list, step);
  if (at === undefined) throw new InstallError(`path ${path}: element ${step.text} not found`);
  const changed = patchAt(list[at], rest, change, path);
  if (changed === REMOVE || changed === undefined) return list.filter((_, index) => index !== at);
  return at < list.length ? list.with(at, changed) : [...list, changed];
}

/** An index that there is none of (-1 or beyond the end) appends. */
function placeOf(list: readonly Json[], step: Step): number | undefined {
  if (step.kind === 'key') return undefined;
  if (step.kind === 'index') return step.index >= 0 && step.index < list.length ? step.index : list.length;
  const at = step.kind === 'field' ? findByField(list, step) : findByText(list, step.value);
  // A text that has a colon may be meant as a whole.
  const found = at < 0 && step.kind === 'field' ? findByText(list, step.text.slice(1, -1)) : at;
  return found < 0 ? undefined : found;
}

function findByText(list: readonly Json[], pattern: string): number {
  const matches = matcher(pattern);
  return list.findIndex((element) => !isJsonObject(element) && matches(String(element)));
}

function matcher(pattern: string): (text: string) => boolean {
  try {
    const expression = new RegExp(pattern);
    return (text) => expression.test(text);
  } catch {
    return (text) => text === pattern;
  }
}

/** A text that is an object in YAML stands for the object; JSON stays the text that it is. */
function structured(value: Json): Json {
  if (typeof value !== 'string' || !(value.includes('\n') ? value.includes(':') : value.includes(': '))) return value;
  if (isJson(value)) return value;
  const { objects, diagnostics } = readYaml(value);
  const [document] = objects;
  return diagnostics.length === 0 && document !== undefined && isJsonObject(document.value) ? document.value : value;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
