import { FunctionError } from './template-error.ts';
import { canBeNil, isAssignable, isUnsigned, types, isSigned, type GoType } from '../value/type.ts';
import { GoInt, GoMap, GoList, typeOf, type Value } from '../value/value.ts';

/**
 * A value taken from a list or map whose elements are of type `interface {}`: Go's errors about its fields name that type, until
 * a pipeline has unwrapped it.
 */
export class Boxed {
  readonly value: NonNullable<Value>;

  constructor(value: NonNullable<Value>) {
    this.value = value;
  }
}

/** What expressions evaluate to: `null` is a boxed nil, `undefined` no value. */
export type Operand = Value | Boxed;

export const element = (value: Value, container: GoType): Operand =>
  container.elem?.kind === 'interface' && value !== null && value !== undefined ? new Boxed(value) : value;

/** The value in the box, nil as no value. */
export const unbox = (operand: Operand): Value => (operand instanceof Boxed ? operand.value : (operand ?? undefined));

/** The value that a type has by itself. */
export const zeroOf = (type: GoType): Value => {
  if (type === types.string) return '';
  if (type === types.bool) return false;
  if (type === types.float64) return 0;
  if (type === types.int) return 0n;
  if (isSigned(type.kind) || isUnsigned(type.kind)) return new GoInt(type.kind, 0n);
  if (type.kind === 'map') return new GoMap([], type, undefined, true);
  if (type.kind === 'slice') return new GoList([], type, true);
  return null;
};

/** The operand as an argument of the type. Throws a FunctionError where it cannot be one. */
export const asArgument = (operand: Operand, type: GoType): Value => {
  const value = operand instanceof Boxed ? operand.value : operand;
  if (type === types.reflectValue) return value;
  if (value === undefined) {
    if (canBeNil(type)) return null;
    throw new FunctionError(`invalid value; expected ${type.name}`);
  }
  const actual = typeOf(value) ?? types.any;
  if (isAssignable(actual, type)) return value;
  throw new FunctionError(`wrong type for value; expected ${type.name}; got ${actual.name}`);
};
