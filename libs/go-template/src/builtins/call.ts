import { FunctionError } from '../exec/template-error.ts';
import { codecs, GoFunction, variadic } from '../value/function.ts';
import { canBeNil, intType, isAssignable, isSigned, isUnsigned, types, type GoType } from '../value/type.ts';
import { GoInt, integerOf, typeName, typeOf, type Value } from '../value/value.ts';

/** Integers are converted to the integer type that is asked for, which arguments written in a template aren't. */
const prepare = (value: Value, type: GoType): Value => {
  if (value === null || value === undefined) {
    if (canBeNil(type)) return null;
    throw new FunctionError(`value is nil; should be of type ${type.name}`);
  }
  if (type === types.reflectValue || isAssignable(typeOf(value)!, type)) return value;
  const integer = integerOf(value);
  if (integer !== undefined && (isSigned(type.kind) || isUnsigned(type.kind))) {
    return type === intType('int') ? integer : new GoInt(type.kind, integer);
  }
  throw new FunctionError(`value has type ${typeName(value)}; should be ${type.name}`);
};

/** `call`: calls a function that is a value; `name` is how the template names it. */
export const call = (name: string): GoFunction =>
  variadic([codecs.value], codecs.value, codecs.value, (callee: Value, args: readonly Value[]) => {
    if (callee === null || callee === undefined) throw new FunctionError('call of nil');
    if (!(callee instanceof GoFunction)) throw new FunctionError(`non-function ${name} of type ${typeName(callee)}`);
    const wanted = callee.params.length;
    const fits = callee.rest === undefined ? args.length === wanted : args.length >= wanted;
    if (!fits) {
      const least = callee.rest === undefined ? '' : 'at least ';
      throw new FunctionError(`wrong number of args for ${name}: got ${args.length} want ${least}${wanted}`);
    }
    return callee.call(
      args.map((arg, index) => {
        try {
          return prepare(arg, callee.paramType(index)!);
        } catch (error) {
          throw error instanceof FunctionError ? new FunctionError(`arg ${index}: ${error.message}`) : error;
        }
      }),
    );
  });
