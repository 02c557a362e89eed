import { codecs, fn, variadic, type FunctionTable } from '../value/function.ts';
import { isTrue } from '../value/truth.ts';
import { type Value } from '../value/value.ts';

const { any, bool } = codecs;

/** What `default` takes no value to be: nil, zero and what has nothing in it. */
export const isBlank = (value: Value): boolean => !isTrue(value);

export const defaultFunctions: FunctionTable = {
  default: variadic([any], any, any, (fallback, [given]) => (isBlank(given) ? fallback : given)),
  empty: fn([any], bool, isBlank),
  coalesce: variadic([], any, any, (values) => values.find((value) => !isBlank(value)) ?? null),
  all: variadic([], any, bool, (values) => !values.some(isBlank)),
  any: variadic([], any, bool, (values) => values.some((value) => !isBlank(value))),
  ternary: fn([any, any, bool], any, (whenTrue, whenFalse, condition) => (condition ? whenTrue : whenFalse)),
};
