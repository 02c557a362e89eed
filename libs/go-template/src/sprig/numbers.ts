import { formatValue } from '../format/value.ts';
import { codecs, fn, variadic, type FunctionTable } from '../value/function.ts';
import { decimalFold } from './decimal.ts';
import { runtimeError, toFloat64, toInt64 } from './convert.ts';

const { any, float64, int, int64, ints, string } = codecs;

const nonZero = (value: bigint): bigint => {
  if (value === 0n) throw runtimeError('integer divide by zero');
  return value;
};

const steps = (start: number, stop: number, step: number): readonly number[] => {
  if (stop < start ? step >= 0 : step <= 0) return [];
  const values: number[] = [];
  for (let value = start; step > 0 ? value < stop : value > stop; value += step) values.push(value);
  return values;
};

const seq = (params: readonly number[]): string => {
  if (params.length === 0 || params.length > 3) return '';
  const [start, end] = params.length === 1 ? [1, params[0]!] : [params[0]!, params.at(-1)!];
  const direction = end < start ? -1 : 1;
  const step = params.length === 3 ? params[1]! : direction;
  if (params.length === 3 && direction < 0 && step > 0) return '';
  return steps(start, end + direction, step).join(' ');
};

const round = (value: number, places: number, threshold: number): number => {
  const power = 10 ** places;
  const scaled = power * value;
  const fraction = scaled - Math.trunc(scaled);
  return (fraction >= threshold ? Math.ceil(scaled) : Math.floor(scaled)) / power;
};

const octal = (text: string): bigint => {
  const sign = text.startsWith('-') ? -1n : 1n;
  const digits = text.replace(/^[+-]/, '');
  if (!/^[0-7]+$/.test(digits)) return 0n;
  const value = sign * BigInt(`0o${digits}`);
  return BigInt.asIntN(64, value) === value ? value : 0n;
};

const atoi = (text: string): number => {
  if (!/^[+-]?[0-9]+$/.test(text)) return 0;
  const value = BigInt(text.replace('+', ''));
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
  return Number(value < least ? least : value > most ? most : value);
};

const most = variadic([any], any, int64, (first, others) =>
  others.map(toInt64).reduce((left, right) => (right > left ? right : left), toInt64(first)),
);

export const numberFunctions: FunctionTable = {
  atoi: fn([string], int, atoi),
  int64: fn([any], int64, toInt64),
  int: fn([any], { ...int64, type: int.type, encode: (value: bigint) => value }, toInt64),
  float64: fn([any], float64, toFloat64),
  seq: variadic([], int, string, seq),
  toDecimal: fn([any], int64, (value) => octal(formatValue(value, 'v'))),
  until: fn([int], ints, (count) => steps(0, count, count < 0 ? -1 : 1)),
  untilStep: fn([int, int, int], ints, steps),

  add1: fn([any], int64, (value) => toInt64(value) + 1n),
  add: variadic([], any, int64, (values) => values.map(toInt64).reduce((left, right) => left + right, 0n)),
  sub: fn([any, any], int64, (left, right) => toInt64(left) - toInt64(right)),
  div: fn([any, any], int64, (left, right) => toInt64(left) / nonZero(toInt64(right))),
  mod: fn([any, any], int64, (left, right) => toInt64(left) % nonZero(toInt64(right))),
  mul: variadic([any], any, int64, (first, others) =>
    others.map(toInt64).reduce((left, right) => BigInt.asIntN(64, left * right), toInt64(first)),
  ),
  add1f: fn([any], float64, (value) => decimalFold('add', toFloat64(value), [1])),
  addf: variadic([], any, float64, (values) => decimalFold('add', 0, values.map(toFloat64))),
  subf: variadic([any], any, float64, (first, others) =>
    decimalFold('subtract', toFloat64(first), others.map(toFloat64)),
  ),
  divf: variadic([any], any, float64, (first, others) =>
    decimalFold('divide', toFloat64(first), others.map(toFloat64)),
  ),
  mulf: variadic([any], any, float64, (first, others) =>
    decimalFold('multiply', toFloat64(first), others.map(toFloat64)),
  ),

  max: most,
  biggest: most,
  min: variadic([any], any, int64, (first, others) =>
    others.map(toInt64).reduce((left, right) => (right < left ? right : left), toInt64(first)),
  ),
  maxf: variadic([any], any, float64, (first, others) => Math.max(toFloat64(first), ...others.map(toFloat64))),
  minf: variadic([any], any, float64, (first, others) => Math.min(toFloat64(first), ...others.map(toFloat64))),
  ceil: fn([any], float64, (value) => Math.ceil(toFloat64(value))),
  floor: fn([any], float64, (value) => Math.floor(toFloat64(value))),
  round: variadic([any, int], float64, float64, (value, places, [threshold]) =>
    round(toFloat64(value), places, threshold ?? 0.5),
  ),
};
