/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * Lists of pods and services whose elements are merged by a key, after the names of their fields. Other lists are replaced. Ports
 * have the first of the keys that all of them have.
 */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  imagePullSecrets: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  ports: ['containerPort', 'port'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  ownerReferences: ['uid'],
};

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isObjectList = (value: Json | undefined): value is readonly JsonObject[] =>
  Array.isArray(value) && value.every(isObject);

/**
 * Kubernetes' strategic merge patch, for pods, their workloads and services: null deletes, `$patch: delete` and `$patch: replace` do
 * what they say, and elements that are new come before those that were there.
 */
export function strategicMerge(base: JsonObject, patch: JsonObject): JsonObject {
  const { $patch, ...fields } = patch;
  if ($patch === 'replace') return fields;
  if ($patch === 'delete') return {};
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(fields)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeField(key, merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeField(name: string, base: Json | undefined, patch: Json | undefined): Json | undefined {
  if (isObject(patch)) return strategicMerge(isObject(base) ? base : {}, patch);
  const keys = KEYS[name];
  if (keys === undefined || !isObjectList(patch)) return patch;
  const list = isObjectList(base) ? base : [];
  const key = keys.find((candidate) => [...list, ...patch].every((item) => item[candidate] !== undefined));
  return mergeList(key ?? keys[0]!, list, patch);
}

function mergeList(key: string, base: readonly JsonObject[], patch: readonly JsonObject[]): readonly JsonObject[] {
  const replacement = patch.some((item) => item.$patch === 'replace' && item[key] === undefined);
  if (replacement) return patch.filter((item) => item.$patch === undefined);
  const byKey = new Map(base.map((item) => [item[key], item]));
  const patched = new Map<Json | undefined, JsonObject>();
  for (const item of patch) {
    const id = item[key];
    if (item.$patch === 'delete') byKey.delete(id);
    else patched.set(id, strategicMerge(patched.get(id) ?? byKey.get(id) ?? {}, item));
  }
  const order = base.map((item) => item[key]);
  const kept = [...byKey].filter(([id]) => !patched.has(id)).map(([, item]) => item);
  return interleave(kept, [...patched.values()], (item) => order.indexOf(item[key]));
}

/** Elements of the patch keep its order, the others theirs; one of these comes first only if it did before. */
function interleave(
  kept: readonly JsonObject[],
  patched: readonly JsonObject[],
  place: (item: JsonObject) => number,
): readonly JsonObject[] {
  const rest = [...kept];
  const result = patched.flatMap((item) => {
    const at = place(item);
    const before = rest.findIndex((other) => at < 0 || place(other) > at);
    return [...rest.splice(0, before < 0 ? rest.length : before), item];
  });
  return [...result, ...rest];
}
