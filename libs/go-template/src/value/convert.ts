import { GoFunction } from './function.ts';
import { GoComplex, GoInt, GoList, GoMap, GoStruct, type Value } from './value.ts';

const isValue = (native: object): native is GoInt | GoComplex | GoList | GoMap | GoStruct | GoFunction =>
  [GoInt, GoComplex, GoList, GoMap, GoStruct, GoFunction].some((kind) => native instanceof kind);

/**
 * A value for templates, of anything that JSON or YAML can hold: numbers become float64, objects maps. A bigint is an int, and
 * values that are template values already stay what they are. The result shares nothing with what it was made from.
 */
export const toValue = (native: unknown): Value => {
  if (Array.isArray(native)) return new GoList(native.map(toValue));
  if (native === null || native === undefined) return null;
  switch (typeof native) {
    case 'boolean':
    case 'string':
    case 'number':
    case 'bigint':
      return native;
    case 'object': {
      if (isValue(native)) return native;
      const entries = Object.entries(native).filter(([, item]) => item !== undefined);
      return new GoMap(entries.map(([key, item]) => [key, toValue(item)] as const));
    }
    default:
      throw new TypeError(`A ${typeof native} has no counterpart in a template.`);
  }
};

/** The opposite way; integers become numbers where these are exact, functions are left out. */
export const fromValue = (value: Value): unknown => {
  if (value instanceof GoList) return value.isNil ? null : value.items.map(fromValue);
  if (value instanceof GoMap || value instanceof GoStruct) {
    const entries = value instanceof GoMap ? value.entries : value.fields;
    return Object.fromEntries([...entries].map(([key, item]) => [key, fromValue(item)]));
  }
  const integer = value instanceof GoInt ? value.value : value;
  if (typeof integer === 'bigint') return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  return value instanceof GoFunction || value instanceof GoComplex ? undefined : value;
};
