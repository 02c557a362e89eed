import { GoList, GoMap, type Value } from '../value/value.ts';
import { isBlank } from './defaults.ts';

/**
 * Merges a map into another, which it changes. Maps within are merged too; anything else takes the place only of what is empty,
 * or of everything with `overwrite`.
 */
export const mergeInto = (target: GoMap, source: GoMap, overwrite: boolean): void => {
  for (const [key, value] of source.entries) {
    const present = target.entries.get(key);
    if (value === null || value === undefined) {
      if (overwrite) target.entries.set(key, null);
    } else if (value instanceof GoMap && present instanceof GoMap && !isBlank(present)) {
      mergeInto(present, value, overwrite);
    } else if (overwrite || isBlank(present)) {
      if (value instanceof GoMap && present instanceof GoMap) mergeInto(present, value, overwrite);
      else target.entries.set(key, value);
    }
  }
};

/** A copy that shares no map or list with the original. */
export const deepCopy = (value: Value): Value => {
  if (value instanceof GoList) return new GoList(value.items.map(deepCopy), value.type, value.isNil);
  if (!(value instanceof GoMap)) return value;
  const entries = Array.from(value.entries, ([key, item]) => [key, deepCopy(item)] as const);
  return new GoMap(entries, value.type, value.methods, value.isNil);
};
