import { GoComplex, GoInt, GoList, GoMap, type Value } from './value.ts';

/** Zero values and empty ones are false; a struct is true. */
export const isTrue = (value: Value): boolean => {
  if (value instanceof GoList) return value.items.length > 0;
  if (value instanceof GoMap) return value.entries.size > 0;
  if (value instanceof GoInt) return value.value !== 0n;
  if (value instanceof GoComplex) return value.real !== 0 || value.imaginary !== 0;
  // Not a number is true, as it isn't equal to zero.
  return Boolean(value) || (typeof value === 'number' && Number.isNaN(value));
};
