import { parse } from 'yaml';
import { differences, tidy } from './inject-compare.ts';

export interface ManifestObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** The objects of a text without definitions of kinds, which are long and compared elsewhere. */
export const objectsOf = (text: string): readonly ManifestObject[] =>
  text
    .split(/^---$/m)
    .filter((document) => document.trim() !== '' && !/^kind: CustomResourceDefinition$/m.test(document))
    .map((document) => parse(document) as ManifestObject);

const labelOf = ({ kind, metadata }: ManifestObject): string => `${kind}:${metadata.namespace ?? ''}:${metadata.name}`;

/** Objects that one of the patterns `Kind:namespace:name` matches; `*` and nothing match everything. */
export function selectObjects(objects: readonly ManifestObject[], patterns = ''): readonly ManifestObject[] {
  if (patterns === '') return objects;
  const expressions = patterns.split(',').map(
    (pattern) =>
      new RegExp(
        pattern
          .trim()
          .split(':')
          .map((part) => (part === '*' || part === '' ? '.*' : part))
          .join(':'),
      ),
  );
  return objects.filter((object) => expressions.some((expression) => expression.test(labelOf(object))));
}

/** Where objects differ from those that are expected, in which order they are included. */
export function unequalObjects(
  actual: readonly ManifestObject[],
  expected: readonly ManifestObject[],
): readonly string[] {
  const own = new Map(actual.map((object) => [keyOf(object), object]));
  const other = new Map(expected.map((object) => [keyOf(object), object]));
  const found = [
    ...[...other.keys()].filter((key) => !own.has(key)).map((key) => `${key} is not there`),
    ...[...own.keys()].filter((key) => !other.has(key)).map((key) => `${key} is not expected`),
    ...[...own].flatMap(([key, object]) => {
      const match = other.get(key);
      return match === undefined ? [] : differences(comparable(object), comparable(match), key);
    }),
  ];
  const [order, wanted] = [own, other].map((map) => [...map.keys()].join('\n'));
  return found.length > 0 || order === wanted ? found : [`order: ${order}, not ${wanted}`];
}

const keyOf = (object: ManifestObject): string => `${String(object.apiVersion)}/${labelOf(object)}`;

/** Templates of the injection are each project's own; other texts of config maps are compared as what they mean. */
function comparable(object: ManifestObject): unknown {
  if (object.kind !== 'ConfigMap') return tidy(object);
  const data = Object.entries((object.data ?? {}) as Readonly<Record<string, string>>)
    .filter(([key]) => key !== 'config')
    .map(([key, text]) => [key, parsed(text)]);
  return tidy({ ...object, data: Object.fromEntries(data) });
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}
