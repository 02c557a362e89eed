import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from './merge.ts';

/** An operation of a JSON patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: Json;
}

/** The operations that make `after` of `before`: field by field; a list that differs is replaced. */
export function jsonPatch(before: JsonObject, after: JsonObject, path = ''): readonly PatchOperation[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [old, value] = [before[key], after[key]];
    if (value === undefined) return old === undefined ? [] : [{ op: 'remove' as const, path: place }];
    if (old === undefined) return [{ op: 'add' as const, path: place, value }];
    if (isObject(old) && isObject(value)) return jsonPatch(old, value, place);
    return isDeepStrictEqual(old, value) ? [] : [{ op: 'replace' as const, path: place, value }];
  });
}
