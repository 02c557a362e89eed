import { FunctionError } from '../exec/template-error.ts';
import { codecs, fn, variadic, type FunctionTable, type GoFunction } from '../value/function.ts';
import { GoMap, typeName, type Value } from '../value/value.ts';
import { nilDereference, toText } from './convert.ts';
import { deepCopy, mergeInto } from './merge.ts';

const { any, bool, list, map, string, strings } = codecs;

const dict = (values: readonly Value[]): GoMap => {
  const made = new GoMap([]);
  for (let index = 0; index < values.length; index += 2) {
    made.entries.set(toText(values[index]), index + 1 < values.length ? values[index + 1] : '');
  }
  return made;
};

const set = (target: GoMap, key: string, value: Value): GoMap => {
  if (target.isNil) throw new FunctionError('assignment to entry in nil map');
  target.entries.set(key, value);
  return target;
};

const conversionError = (value: Value, wanted: string): FunctionError =>
  value === null || value === undefined
    ? new FunctionError(`interface conversion: interface {} is nil, not ${wanted}`)
    : new FunctionError(`interface conversion: interface {} is ${typeName(value)}, not ${wanted}`);

const asMap = (value: Value): GoMap => {
  if (value instanceof GoMap && value.type === map.type) return value;
  throw conversionError(value, 'map[string]interface {}');
};

/** Follows keys into maps; the default where one is missing. */
const dig = (params: readonly Value[]): Value => {
  if (params.length < 3) throw new FunctionError('dig needs at least three arguments');
  let value: Value = asMap(params.at(-1));
  const fallback = params.at(-2);
  const keys = params.slice(0, -2).map((key) => {
    if (typeof key === 'string') return key;
    throw conversionError(key, 'string');
  });
  for (const key of keys) {
    const { entries } = asMap(value);
    if (!entries.has(key)) return fallback;
    value = entries.get(key);
  }
  return value;
};

const merge = (overwrite: boolean): GoFunction =>
  variadic([map], map, any, (target, sources) => {
    if (target.isNil && sources.length > 0) throw nilDereference();
    for (const source of sources) mergeInto(target, source, overwrite);
    return target;
  });

const copy = fn([any], any, (value) => {
  if (value === null) throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
  return deepCopy(value);
});

export const dictFunctions: FunctionTable = {
  dict: variadic([], any, map, dict),
  get: fn([map, string], any, ({ entries }, key) => (entries.has(key) ? entries.get(key) : '')),
  set: fn([map, string, any], map, set),
  unset: fn([map, string], map, (target, key) => {
    target.entries.delete(key);
    return target;
  }),
  hasKey: fn([map, string], bool, ({ entries }, key) => entries.has(key)),
  pluck: variadic([string], map, list, (key, maps) =>
    maps.filter(({ entries }) => entries.has(key)).map(({ entries }) => entries.get(key)),
  ),
  keys: variadic([], map, strings, (maps) => maps.flatMap((one) => one.sortedKeys())),
  values: fn([map], list, (one) => one.sortedKeys().map((key) => one.entries.get(key))),
  pick: variadic(
    [map],
    string,
    map,
    ({ entries }, names) =>
      new GoMap(names.filter((name) => entries.has(name)).map((name) => [name, entries.get(name)] as const)),
  ),
  omit: variadic(
    [map],
    string,
    map,
    ({ entries }, names) => new GoMap([...entries].filter(([key]) => !names.includes(key))),
  ),
  merge: merge(false),
  mustMerge: merge(false),
  mergeOverwrite: merge(true),
  mustMergeOverwrite: merge(true),
  deepCopy: copy,
  mustDeepCopy: copy,
  dig: variadic([], any, any, dig),
};
