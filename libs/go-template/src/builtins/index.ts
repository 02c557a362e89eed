import { sprint, sprintln } from '../format/print.ts';
import { sprintf } from '../format/printf.ts';
import { equalsAny, isLess, isLessOrEqual } from '../value/compare.ts';
import { codecs, fn, variadic, type FunctionTable } from '../value/function.ts';
import { isTrue } from '../value/truth.ts';
import { accessFunctions } from './access.ts';
import { call } from './call.ts';
import { escapeFunctions } from './escape.ts';

const { any, bool, string, value } = codecs;

/** `and` and `or` leave arguments unevaluated, so the evaluator has them; here is only what they take. */
const shortCircuit = variadic([value], value, value, (first) => first);

/** The functions that Go's text/template has of its own. */
export const builtins: FunctionTable = {
  ...accessFunctions,
  ...escapeFunctions,
  and: shortCircuit,
  or: shortCircuit,
  not: fn([value], bool, (argument) => !isTrue(argument)),
  call: call('call'),
  print: variadic([], any, string, sprint),
  println: variadic([], any, string, sprintln),
  printf: variadic([string], any, string, sprintf),
  eq: variadic([value], value, bool, equalsAny),
  ne: fn([value, value], bool, (left, right) => !equalsAny(left, [right])),
  lt: fn([value, value], bool, isLess),
  le: fn([value, value], bool, isLessOrEqual),
  gt: fn([value, value], bool, (left, right) => !isLessOrEqual(left, right)),
  ge: fn([value, value], bool, (left, right) => !isLess(left, right)),
};
