import { FunctionError } from '../exec/template-error.ts';
import { deepEqual } from '../value/compare.ts';
import { codecs, fn, variadic, type Codec, type FunctionTable } from '../value/function.ts';
import { listOf, types } from '../value/type.ts';
import { GoList, type Value } from '../value/value.ts';
import { itemsOf, kindOf, nilDereference, runtimeError, toInt } from './convert.ts';
import { isBlank } from './defaults.ts';

const { any, bool, int, list } = codecs;

/** A list that may be the nil one, as `rest` of nothing is. */
const maybeList: Codec<readonly Value[] | undefined> = {
  type: list.type,
  decode: (value) => list.decode(value),
  encode: (items) => (items === undefined ? new GoList([], types.anyList, true) : new GoList(items)),
};

const chunkType = listOf(types.anyList);

const includes = (items: readonly Value[], wanted: Value): boolean => items.some((item) => deepEqual(wanted, item));

const uniq = (items: readonly Value[]): readonly Value[] =>
  items.filter((item, index) => !includes(items.slice(0, index), item));

const chunk = (size: number, value: Value): GoList => {
  const items = itemsOf(value, 'Cannot chunk type');
  if (size <= 0) throw runtimeError('makeslice: len out of range');
  const chunks = Array.from(
    { length: Math.ceil(items.length / size) },
    (_, index) => new GoList(items.slice(index * size, (index + 1) * size)),
  );
  return new GoList(chunks, chunkType);
};

const slice = (value: Value, indexes: readonly Value[]): Value => {
  const items = itemsOf(value, 'list should be type of slice or array but');
  if (items.length === 0) return null;
  const [start = 0, end = items.length] = indexes.map(toInt);
  if (start < 0 || start > end || end > items.length)
    throw new FunctionError('reflect.Value.Slice: slice index out of bounds');
  return new GoList(items.slice(start, end), (value as GoList).type);
};

const concat = (lists: readonly Value[]): GoList => {
  const items = lists.flatMap((value) => {
    if (value instanceof GoList) return value.items;
    if (value === null || value === undefined) throw nilDereference();
    throw new FunctionError(`Cannot concat type ${kindOf(value)} as list`);
  });
  return new GoList(items, types.anyList, items.length === 0);
};

const has = (needle: Value, haystack: Value): boolean =>
  haystack !== null && haystack !== undefined && includes(itemsOf(haystack, 'Cannot find has on type'), needle);

const listFunction = variadic([], any, list, (items) => items);

/** Functions that answer with an error where Go's `must` variants do, and panic where they don't: templates see no difference. */
const mustTable: FunctionTable = {
  append: fn([any, any], list, (value, item) => [...itemsOf(value, 'Cannot push on type'), item]),
  push: fn([any, any], list, (value, item) => [...itemsOf(value, 'Cannot push on type'), item]),
  prepend: fn([any, any], list, (value, item) => [item, ...itemsOf(value, 'Cannot prepend on type')]),
  first: fn([any], any, (value) => itemsOf(value, 'Cannot find first on type')[0] ?? null),
  last: fn([any], any, (value) => itemsOf(value, 'Cannot find last on type').at(-1) ?? null),
  rest: fn([any], maybeList, (value) => {
    const items = itemsOf(value, 'Cannot find rest on type');
    return items.length === 0 ? undefined : items.slice(1);
  }),
  initial: fn([any], maybeList, (value) => {
    const items = itemsOf(value, 'Cannot find initial on type');
    return items.length === 0 ? undefined : items.slice(0, -1);
  }),
  reverse: fn([any], list, (value) => itemsOf(value, 'Cannot find reverse on type').toReversed()),
  compact: fn([any], list, (value) => itemsOf(value, 'Cannot compact on type').filter((item) => !isBlank(item))),
  uniq: fn([any], list, (value) => uniq(itemsOf(value, 'Cannot find uniq on type'))),
  without: variadic([any], any, list, (value, omitted) =>
    itemsOf(value, 'Cannot find without on type').filter((item) => !includes(omitted, item)),
  ),
  has: fn([any, any], bool, has),
  slice: variadic([any], any, any, slice),
  chunk: fn([int, any], { type: chunkType, decode: (value) => value as GoList, encode: (value) => value }, chunk),
};

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

export const listFunctions: FunctionTable = {
  ...mustTable,
  ...Object.fromEntries(
    Object.entries(mustTable).map(([name, implementation]) => [`must${capitalised(name)}`, implementation]),
  ),
  list: listFunction,
  tuple: listFunction,
  concat: variadic([], any, any, concat),
};
