import { isDeepStrictEqual } from 'node:util';
import { type ManifestObject, objectsOf } from './manifest-objects.ts';

/** What has to hold for the objects of an output. */
export interface ManifestCheck {
  readonly kind?: string;
  readonly name?: string;
  readonly nameMatches?: string;
  readonly label?: string;
  readonly path?: string;
  readonly equals?: unknown;
  readonly contains?: Readonly<Record<string, unknown>>;
  readonly matches?: string;
  readonly absent?: boolean;
  readonly exists?: boolean;
  readonly count?: number;
  readonly text?: string;
  readonly present?: boolean;
}

/** What of the checks does not hold. */
export function checkFailures(output: string, checks: readonly ManifestCheck[]): string[] {
  const objects = objectsOf(output);
  const definitions = [...output.matchAll(/^kind: CustomResourceDefinition\n(?:.+\n)*? {2}name: (\S+)$/gm)];
  const all = [
    ...objects,
    ...definitions.map(([, name = '']) => ({ kind: 'CustomResourceDefinition', metadata: { name } })),
  ];
  return checks.flatMap((check) => {
    const problem = problemOf(check, all, output);
    return problem === undefined ? [] : [`${JSON.stringify(check)}: ${problem}`];
  });
}

function problemOf(check: ManifestCheck, objects: readonly ManifestObject[], output: string): string | undefined {
  if (check.text !== undefined)
    return output.includes(check.text) === (check.present ?? true) ? undefined : 'the text is not as expected';
  const chosen = objects.filter((object) => isMeant(check, object));
  if (check.count !== undefined) return chosen.length === check.count ? undefined : `there are ${chosen.length}`;
  if (check.exists !== undefined)
    return chosen.length > 0 === check.exists
      ? undefined
      : `there are ${chosen.map(({ metadata }) => metadata.name).join()}`;
  if (check.path === undefined) return undefined;
  if (chosen.length === 0) return 'there is no such object';
  for (const object of chosen) {
    const value = valueAt(object, check.path);
    if (!holds(check, value)) return `it is ${JSON.stringify(value)}`;
  }
  return undefined;
}

function isMeant({ kind, name, nameMatches, label }: ManifestCheck, object: ManifestObject): boolean {
  const { labels = {} } = object.metadata as { readonly labels?: Readonly<Record<string, string>> };
  const [key = '', value] = label?.split('=') ?? [];
  return (
    (kind === undefined || object.kind === kind) &&
    (name === undefined || name === '*' || object.metadata.name === name) &&
    (nameMatches === undefined || new RegExp(nameMatches).test(object.metadata.name)) &&
    (label === undefined || labels[key] === value)
  );
}

function holds({ equals, contains, matches, absent }: ManifestCheck, value: unknown): boolean {
  if (absent !== undefined) return (value === undefined) === absent;
  if (matches !== undefined) return typeof value === 'string' && new RegExp(matches).test(value);
  if (contains === undefined) return isDeepStrictEqual(value, equals);
  const own = value as Readonly<Record<string, unknown>> | undefined;
  return Object.entries(contains).every(([key, item]) => isDeepStrictEqual(own?.[key], item));
}

/** The value at a path of keys, `[0]` and `[name=x]`. */
function valueAt(object: unknown, path: string): unknown {
  const steps = path.match(/\[[^\]]*\]|[^.[\]]+/g) ?? [];
  return steps.reduce<unknown>((value, step) => {
    if (!step.startsWith('[')) return (value as Readonly<Record<string, unknown>> | undefined)?.[step];
    const list = (value ?? []) as readonly Readonly<Record<string, unknown>>[];
    const [key = '', wanted] = step.slice(1, -1).split('=');
    return wanted === undefined ? list[Number(key)] : list.find((item) => item[key] === wanted);
  }, object);
}
