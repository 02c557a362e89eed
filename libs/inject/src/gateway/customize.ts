import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { InjectionError } from '../injection-error.ts';
import { isObject, type Json, type JsonObject, strategicMerge } from '../merge.ts';

/** Keys of a config map with customisations, and the kind each is about. */
const KINDS: Readonly<Record<string, string>> = {
  deployment: 'Deployment',
  service: 'Service',
  serviceAccount: 'ServiceAccount',
  horizontalPodAutoscaler: 'HorizontalPodAutoscaler',
  podDisruptionBudget: 'PodDisruptionBudget',
};

/** Kinds that are made only where a customisation says how. */
const OPTIONAL: ReadonlySet<string> = new Set(['HorizontalPodAutoscaler', 'PodDisruptionBudget']);

const FIXED = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** An object with the customisations for its kind merged in, or undefined if it isn't wanted. Throws an InjectionError. */
export function customize(
  object: JsonObject,
  maps: readonly Readonly<Record<string, string>>[],
): JsonObject | undefined {
  const patches = maps.flatMap((map) => {
    const unknown = Object.keys(map).find((key) => !(key in KINDS));
    if (unknown !== undefined)
      throw new InjectionError(`unsupported overlay "${unknown}" (supported: ${Object.keys(KINDS).sort().join(', ')})`);
    return Object.entries(map).filter(([key]) => KINDS[key] === object.kind);
  });
  if (patches.length === 0 && OPTIONAL.has(String(object.kind))) return undefined;
  const customized = patches.reduce<JsonObject>((result, [key, text]) => {
    const patch = (parse(text) ?? {}) as Json;
    if (!isObject(patch)) throw new InjectionError(`overlay "${key}" is no object`);
    return strategicMerge(result, patch);
  }, object);
  if (!isDeepStrictEqual(identityOf(customized), identityOf(object)))
    throw new InjectionError('illegal metadata change');
  return customized;
}

const identityOf = ({ apiVersion, kind, metadata }: JsonObject): unknown => [
  apiVersion,
  kind,
  ...FIXED.map((field) => (isObject(metadata) ? metadata[field] : undefined)),
];
