/** A CNI network configuration, or a plugin's entry in one. What others wrote in it is kept, whatever it is. */
export type JsonObject = { readonly [key: string]: unknown };

export type InsertResult =
  { readonly ok: true; readonly config: JsonObject } | { readonly ok: false; readonly problem: string };

/** The type by which the container runtime finds our plugin. */
const pluginType = 'istio-cni';

/**
 * Puts our plugin's entry at the end of an existing configuration's chain, in place of any that are there already. The
 * configuration of a single plugin becomes a list. The version belongs to the list, so the entry has none.
 */
export function insertPlugin(existing: string, plugin: JsonObject): InsertResult {
  const { cniVersion: _, ...entry } = plugin;
  const parsed = parseObject(existing);
  if (parsed === undefined) return { ok: false, problem: 'the CNI config is not a JSON object' };
  if ('type' in parsed) {
    const { cniVersion: __, ...first } = parsed;
    return { ok: true, config: { name: 'k8s-pod-network', cniVersion: '0.3.1', plugins: [first, entry] } };
  }
  const { plugins } = parsed;
  if (!Array.isArray(plugins)) return { ok: false, problem: 'the CNI config has no list "plugins"' };
  if (!plugins.every(isObject))
    return { ok: false, problem: 'an entry of "plugins" of the CNI config is not an object' };
  return { ok: true, config: { ...parsed, plugins: [...plugins.filter(({ type }) => type !== pluginType), entry] } };
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a configuration: keys sorted, so that equal ones are equal files. */
export function printConfig(config: JsonObject): string {
  return `${JSON.stringify(sorted(config), undefined, 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
