import type { EnvoyFilterOperation } from '@kedge/model';

/**
 * A list after an operation on it: the value is put into place, or what the operation is about replaced or removed. The
 * identical list where that changes nothing.
 * @param isTarget what the patch names; absent where it names nothing, and then it means the list as a whole
 */
export function edited<T>(
  list: readonly T[],
  operation: EnvoyFilterOperation,
  value: T,
  isTarget?: (member: T) => boolean,
): readonly T[] {
  const at = isTarget ? list.findIndex(isTarget) : -1;
  if (isTarget && at < 0 && operation !== 'ADD' && operation !== 'INSERT_FIRST') return list;
  switch (operation) {
    case 'ADD':
      return [...list, value];
    case 'INSERT_FIRST':
      return [value, ...list];
    case 'INSERT_BEFORE':
      return list.toSpliced(isTarget ? at : 0, 0, value);
    case 'INSERT_AFTER':
      return list.toSpliced(isTarget ? at + 1 : list.length, 0, value);
    case 'REPLACE':
      return isTarget ? list.with(at, value) : list;
    case 'REMOVE':
      return isTarget ? list.filter((member) => !isTarget(member)) : list;
    default:
      return list;
  }
}

/** Each member changed or, where the change gives nothing, removed; the identical list where all stay as they are. */
export function mapped<T>(list: readonly T[], change: (member: T) => T | undefined): readonly T[] {
  const members = list.map(change);
  return members.every((member, at) => member === list[at]) ? list : members.filter((member) => member !== undefined);
}
