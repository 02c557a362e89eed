import { setObject } from '@kedge/config';
import type { MemoOptions } from '@kedge/incremental';
import type { Config, ConfigKey } from '@kedge/model';
import { PushContext } from '@kedge/pushcontext';
import fc from 'fast-check';
import { anyObject, basicObject, isValid, objectKinds, objectsOfKind } from './objects/index.ts';
import {
  anySettings,
  configuredSettings,
  meshSettings,
  type Settings,
  settingsByInput,
  setSettings,
  type VariableSettings,
} from './settings.ts';

/** All that proxies' configuration follows from, by value. */
export interface Mesh {
  readonly settings: Settings;
  readonly objects: readonly Config[];
}

/**
 * One change: an object made or replaced, the n-th object of the same kind replaced, or one field of it, the n-th object taken
 * away, or other settings.
 */
export type Edit =
  | { readonly put: Config; readonly over?: number; readonly field?: number }
  | { readonly gone: number }
  | { readonly settings: VariableSettings };

export const keyText = ({ kind, namespace, name }: ConfigKey): string => `${kind}/${namespace}/${name}`;

/** Each key once; what comes later replaces. */
function distinct(objects: readonly Config[]): readonly Config[] {
  return [...new Map(objects.map((object) => [keyText(object), object])).values()];
}

export const anyMesh: fc.Arbitrary<Mesh> = fc
  .tuple(
    meshSettings,
    fc.array(basicObject, { maxLength: 24, size: 'max' }),
    fc.array(anyObject, { maxLength: 32, size: 'max' }),
  )
  .map(([settings, basis, others]) => ({ settings, objects: distinct([...basis, ...others]) }));

const position = fc.nat({ max: 1000 });

/** A change of one kind of object or setting. */
export function editOfKind(kind: string): fc.Arbitrary<Edit> {
  const change = configuredSettings[kind];
  return change ? change.map((settings) => ({ settings })) : fc.record({ put: objectsOfKind(kind), over: position });
}

export const editKinds = [...objectKinds, ...Object.keys(configuredSettings)];

/** A change of what an input (the name of a source) holds: mostly one field of an object that is there. */
export function editOfInput(input: string): fc.Arbitrary<Edit> {
  const change = settingsByInput[input];
  if (change) return change.map((settings) => ({ settings }));
  const put = objectsOfKind(input);
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ put, over: position, field: position }) },
    { weight: 2, arbitrary: fc.record({ put, over: position }) },
    { weight: 1, arbitrary: put.map((added) => ({ put: added })) },
  );
}

export const inputs: readonly string[] = [...objectKinds, ...Object.keys(settingsByInput)];

export const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: anyObject.map((put) => ({ put })) },
  { weight: 5, arbitrary: fc.record({ put: anyObject, over: position }) },
  { weight: 4, arbitrary: fc.constantFrom(...editKinds).chain(editOfKind) },
  { weight: 4, arbitrary: fc.record({ put: anyObject, over: position, field: position }) },
  { weight: 1, arbitrary: anySettings.map((settings) => ({ settings })) },
  { weight: 4, arbitrary: position.map((gone) => ({ gone })) },
);

/** The mesh after a change. */
export function edited({ settings, objects }: Mesh, edit: Edit): Mesh {
  if ('settings' in edit) return { settings: { ...settings, ...edit.settings }, objects };
  if ('put' in edit) return { settings, objects: distinct([...objects, placed(edit, objects)]) };
  const at = edit.gone % Math.max(1, objects.length);
  return { settings, objects: objects.filter((_, index) => index !== at) };
}

function placed({ put, over, field }: Extract<Edit, { put: Config }>, objects: readonly Config[]): Config {
  const alike = objects.filter(({ kind }) => kind === put.kind);
  const replaced = over === undefined ? undefined : alike[over % Math.max(1, alike.length)];
  if (!replaced) return put;
  return mixed(replaced, put, field) ?? { ...put, namespace: replaced.namespace, name: replaced.name };
}

/** The object with the n-th of the other's fields, if that is valid: labels, annotations, or one of its spec. */
function mixed(object: Config, other: Config, field: number | undefined): Config | undefined {
  if (field === undefined) return undefined;
  const fields = ['labels', 'annotations', ...Object.keys(other.spec as object)];
  const chosen = fields[field % fields.length] ?? '';
  const mix =
    chosen === 'labels' || chosen === 'annotations'
      ? { ...object, [chosen]: other[chosen] }
      : { ...object, spec: { ...(object.spec as object), [chosen]: (other.spec as Record<string, unknown>)[chosen] } };
  return isValid(mix) ? mix : undefined;
}

/** A snapshot of the mesh that nothing came before. */
export function freshContext({ settings, objects }: Mesh, options?: MemoOptions): PushContext {
  return PushContext.empty(options).next((edit) => {
    setSettings(edit, settings);
    for (const object of objects) setObject(edit, object, object);
  });
}

/** The next snapshot of a line that is at `from`. */
export function advanced(push: PushContext, from: Mesh, to: Mesh): PushContext {
  const before = new Map(from.objects.map((object) => [keyText(object), object]));
  return push.next((edit) => {
    if (to.settings !== from.settings) setSettings(edit, to.settings);
    for (const object of to.objects) {
      if (before.get(keyText(object)) !== object) setObject(edit, object, object);
      before.delete(keyText(object));
    }
    for (const object of before.values()) setObject(edit, object, undefined);
  });
}
