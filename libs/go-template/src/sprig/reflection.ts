import { deepEqual } from '../value/compare.ts';
import { codecs, fn, type FunctionTable } from '../value/function.ts';
import { typeName } from '../value/value.ts';
import { kindOf } from './convert.ts';

const { any, bool, string } = codecs;

export const reflectionFunctions: FunctionTable = {
  typeOf: fn([any], string, typeName),
  typeIs: fn([string, any], bool, (name, value) => typeName(value) === name),
  typeIsLike: fn([string, any], bool, (name, value) => [name, `*${name}`].includes(typeName(value))),
  kindOf: fn([any], string, kindOf),
  kindIs: fn([string, any], bool, (kind, value) => kindOf(value) === kind),
  deepEqual: fn([any, any], bool, deepEqual),
};
