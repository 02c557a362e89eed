import type { AccessLogging } from '@kedge/model';
import { isForSide, type Side } from './workload-mode.ts';

/** What is logged by a provider: nothing, or all that an expression of CEL (where there is one) is true for. */
export type ProviderLogging = 'disabled' | { readonly expression?: string };

const namesOf = ({ providers }: AccessLogging): readonly string[] => providers.map(({ name }) => name);

/**
 * The access logs by provider that settings of several levels come to, the broadest first. A level that names providers puts
 * them in the place of those of the levels above; one that names none means those that were named before.
 */
export function mergeAccessLogging(
  levels: readonly (readonly AccessLogging[])[],
  defaults: readonly string[],
  side: Side,
): ReadonlyMap<string, ProviderLogging> {
  if (levels.length === 0) return new Map(defaults.map((name) => [name, {}]));
  const expressions = new Map<string, ProviderLogging>();
  let inScope: ReadonlySet<string> = new Set(defaults);
  for (const level of levels) {
    const own = level.filter(({ match }) => isForSide(match?.mode, side));
    for (const setting of own) {
      const { filter } = setting;
      for (const name of namesOf(setting)) expressions.set(name, filter ? { expression: filter.expression ?? '' } : {});
    }
    const named = new Set(own.flatMap(namesOf));
    if (named.size > 0) inScope = named;
  }
  const result = new Map<string, ProviderLogging>();
  let meant = defaults;
  for (const setting of levels.flat()) {
    if (setting.providers.length > 0) meant = namesOf(setting);
    if (!isForSide(setting.match?.mode, side)) continue;
    for (const name of meant.filter((one) => inScope.has(one))) {
      result.set(name, setting.disabled ? 'disabled' : (expressions.get(name) ?? {}));
    }
  }
  return result;
}
