import { FunctionError } from '../exec/template-error.ts';
import { formatValue } from '../format/value.ts';
import { compareText } from '../text/utf8.ts';
import { isSigned, isUnsigned, type Kind } from './type.ts';
import { GoComplex, GoList, GoMap, GoStruct, integerOf, typeName, typeOf, type Value } from './value.ts';

/** Kinds that compare among themselves; everything else compares only as nil or not. */
type Basic = 'bool' | 'complex' | 'int' | 'float' | 'string' | 'uint' | undefined;

const basicOf = (kind: Kind | undefined): Basic => {
  if (kind === undefined) return undefined;
  if (isSigned(kind)) return 'int';
  if (isUnsigned(kind)) return 'uint';
  const basics: Partial<Record<Kind, Basic>> = {
    bool: 'bool',
    string: 'string',
    float64: 'float',
    complex128: 'complex',
  };
  return basics[kind];
};

const isNil = (value: Value): boolean =>
  value === null || value === undefined || ((value instanceof GoList || value instanceof GoMap) && value.isNil);

const incompatible = (left: Value, right: Value): FunctionError =>
  new FunctionError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);

const isInteger = (basic: Basic): boolean => basic === 'int' || basic === 'uint';

const sameComposite = (left: Value, right: Value): boolean => {
  const [leftType, rightType] = [typeOf(left), typeOf(right)];
  if (leftType !== undefined && rightType !== undefined && leftType.kind !== rightType.kind) {
    throw new FunctionError(
      `non-comparable types ${formatValue(left, 's')}: ${leftType.name}, ${rightType.name}: ${formatValue(right, 'v')}`,
    );
  }
  if (isNil(left) || isNil(right)) return isNil(left) === isNil(right);
  if (!rightType!.comparable)
    throw new FunctionError(`non-comparable type ${formatValue(right, 's')}: ${rightType!.name}`);
  return left === right;
};

const isEqual = (left: Value, right: Value): boolean => {
  const [leftBasic, rightBasic] = [basicOf(typeOf(left)?.kind), basicOf(typeOf(right)?.kind)];
  if (isInteger(leftBasic) && isInteger(rightBasic)) return integerOf(left) === integerOf(right);
  if (leftBasic !== rightBasic) {
    if (typeOf(left) === undefined || typeOf(right) === undefined) return false;
    throw incompatible(left, right);
  }
  if (leftBasic === undefined) return sameComposite(left, right);
  if (left instanceof GoComplex && right instanceof GoComplex) {
    return left.real === right.real && left.imaginary === right.imaginary;
  }
  return left === right;
};

/** `eq`: whether the first value is equal to any of the others. */
export const equalsAny = (value: Value, others: readonly Value[]): boolean => {
  if (others.length === 0) throw new FunctionError('missing argument for comparison');
  return others.some((other) => isEqual(value, other));
};

/** `lt`. */
export const isLess = (left: Value, right: Value): boolean => {
  const [leftBasic, rightBasic] = [basicOf(typeOf(left)?.kind), basicOf(typeOf(right)?.kind)];
  if (leftBasic === undefined || rightBasic === undefined) throw new FunctionError('invalid type for comparison');
  if (isInteger(leftBasic) && isInteger(rightBasic)) return integerOf(left)! < integerOf(right)!;
  if (leftBasic !== rightBasic) throw incompatible(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right) < 0;
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  throw new FunctionError('invalid type for comparison');
};

/** `le`. */
export const isLessOrEqual = (left: Value, right: Value): boolean => isLess(left, right) || isEqual(left, right);

const sameItems = (left: readonly Value[], right: readonly Value[]): boolean =>
  left.length === right.length && left.every((item, index) => deepEqual(item, right[index]));

/** Go's `reflect.DeepEqual`: the same types all the way down, and the same content. */
export const deepEqual = (left: Value, right: Value): boolean => {
  if (left === right) return true;
  if (typeOf(left) !== typeOf(right)) return (left ?? null) === (right ?? null);
  if (left instanceof GoList && right instanceof GoList) {
    return left.isNil === right.isNil && sameItems(left.items, right.items);
  }
  if (left instanceof GoMap && right instanceof GoMap) {
    return (
      left.isNil === right.isNil &&
      left.entries.size === right.entries.size &&
      [...left.entries].every(([key, item]) => right.entries.has(key) && deepEqual(item, right.entries.get(key)))
    );
  }
  if (left instanceof GoStruct && right instanceof GoStruct) {
    return sameItems([...left.fields.values()], [...right.fields.values()]);
  }
  const integer = integerOf(left);
  return integer !== undefined && integer === integerOf(right);
};
