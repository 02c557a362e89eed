import { FunctionError } from '../exec/template-error.ts';
import { zeroOf } from '../exec/operand.ts';
import { byteLength, byteSlice, utf8Encode } from '../text/utf8.ts';
import { codecs, fn, variadic, type FunctionTable } from '../value/function.ts';
import { GoInt, GoList, GoMap, integerOf, typeName, type Value } from '../value/value.ts';

const isNil = (value: Value): value is null | undefined => value === null || value === undefined;

const indexOf = (index: Value, limit: number): number => {
  if (isNil(index)) throw new FunctionError('cannot index slice/array with nil');
  const integer = integerOf(index);
  if (integer === undefined) throw new FunctionError(`cannot index slice/array with type ${typeName(index)}`);
  if (integer < 0n || integer > limit) throw new FunctionError(`index out of range: ${integer}`);
  return Number(integer);
};

const outOfRange = (kind: string): FunctionError => new FunctionError(`reflect: ${kind} index out of range`);

const item = (container: Value, index: Value): Value => {
  if (isNil(container)) throw new FunctionError('index of nil pointer');
  if (typeof container === 'string') {
    const bytes = utf8Encode(container);
    const byte = bytes[indexOf(index, bytes.length)];
    if (byte === undefined) throw outOfRange('string');
    return new GoInt('uint8', BigInt(byte));
  }
  if (container instanceof GoList) {
    const position = indexOf(index, container.items.length);
    if (position >= container.items.length) throw outOfRange('slice');
    return container.items[position];
  }
  if (container instanceof GoMap) {
    if (isNil(index)) throw new FunctionError('value is nil; should be of type string');
    if (typeof index !== 'string') throw new FunctionError(`value has type ${typeName(index)}; should be string`);
    return container.entries.has(index) ? container.entries.get(index) : zeroOf(container.type.elem!);
  }
  throw new FunctionError(`can't index item of type ${typeName(container)}`);
};

const slice = (value: Value, indexes: readonly Value[]): Value => {
  if (isNil(value)) throw new FunctionError('slice of untyped nil');
  if (indexes.length > 3) throw new FunctionError(`too many slice indexes: ${indexes.length}`);
  if (typeof value === 'string' && indexes.length === 3) throw new FunctionError('cannot 3-index slice a string');
  if (typeof value !== 'string' && !(value instanceof GoList)) {
    throw new FunctionError(`can't slice item of type ${typeName(value)}`);
  }
  const length = typeof value === 'string' ? byteLength(value) : value.items.length;
  const [start = 0, end = length, limit] = indexes.map((index) => indexOf(index, length));
  if (start > end) throw new FunctionError(`invalid slice index: ${start} > ${end}`);
  if (limit !== undefined && end > limit) throw new FunctionError(`invalid slice index: ${end} > ${limit}`);
  if (typeof value === 'string') return byteSlice(value, start, end);
  return new GoList(value.items.slice(start, end), value.type);
};

const length = (value: Value): number => {
  if (value === undefined) throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
  if (value === null) throw new FunctionError('len of nil pointer');
  if (typeof value === 'string') return byteLength(value);
  if (value instanceof GoList) return value.items.length;
  if (value instanceof GoMap) return value.entries.size;
  throw new FunctionError(`len of type ${typeName(value)}`);
};

export const accessFunctions: FunctionTable = {
  index: variadic([codecs.value], codecs.value, codecs.value, (value: Value, indexes: readonly Value[]) => {
    if (isNil(value)) throw new FunctionError('index of untyped nil');
    return indexes.reduce(item, value);
  }),
  slice: variadic([codecs.value], codecs.value, codecs.value, slice),
  len: fn([codecs.value], codecs.int, length),
};
