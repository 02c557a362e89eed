import { FunctionError } from './template-error.ts';
import { type LiteralNode } from '../syntax/ast.ts';
import { printNode } from '../syntax/print.ts';
import { isSigned, isUnsigned, types, type GoType } from '../value/type.ts';
import { GoComplex, GoInt, type Value } from '../value/value.ts';

/** A literal where no type is asked for. */
export const idealValue = (node: LiteralNode): Value => {
  if (node.kind !== 'number') return node.value;
  const { value, text } = node;
  switch (value.ideal) {
    case 'int':
      return value.int;
    case 'float':
      return value.float;
    case 'complex':
      return new GoComplex(value.complex!.real, value.complex!.imaginary);
    case 'overflow':
      throw new FunctionError(`${text} overflows int`);
  }
};

/** A literal as an argument of the type; numbers take on the type if they can hold it. */
export const literalValue = (node: LiteralNode, type: GoType): Value => {
  if (type.kind === 'interface' || type === types.reflectValue) return idealValue(node);
  const expect = <T extends Value>(what: string, value: T | undefined): T => {
    if (value === undefined) throw new FunctionError(`expected ${what}; found ${printNode(node)}`);
    return value;
  };
  const number = node.kind === 'number' ? node.value : undefined;
  const { kind } = type;
  if (kind === 'bool') return expect('bool', node.kind === 'bool' ? node.value : undefined);
  if (kind === 'string') return expect('string', node.kind === 'string' ? node.value : undefined);
  if (kind === 'float64') return expect('float', number?.float);
  if (isSigned(kind)) {
    const value = expect('integer', number?.int);
    return kind === 'int' ? value : new GoInt(kind, value);
  }
  if (isUnsigned(kind)) return new GoInt(kind, expect('unsigned integer', number?.uint));
  throw new FunctionError(`can't handle ${printNode(node)} for arg of type ${type.name}`);
};
