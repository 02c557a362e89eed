import { FunctionError } from '../exec/template-error.ts';

/** coefficient × 10^exponent */
interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const decimalOf = (value: number): Decimal => {
  if (!Number.isFinite(value)) throw new FunctionError(`Cannot create a Decimal from ${formatted(value)}`);
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const fraction = mantissa.split('.')[1]?.length ?? 0;
  return { coefficient: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - fraction };
};

const formatted = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');

const scaledTo = ({ coefficient, exponent }: Decimal, to: number): bigint => coefficient * 10n ** BigInt(exponent - to);

const sum = (left: Decimal, right: Decimal, sign: bigint): Decimal => {
  const exponent = Math.min(left.exponent, right.exponent);
  return { coefficient: scaledTo(left, exponent) + sign * scaledTo(right, exponent), exponent };
};

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

const divisionDigits = 16;

/** To sixteen places, half away from zero. */
const quotient = (left: Decimal, right: Decimal): Decimal => {
  if (right.coefficient === 0n) throw new FunctionError('decimal division by 0');
  const shift = left.exponent - right.exponent + divisionDigits;
  const dividend = shift >= 0 ? left.coefficient * 10n ** BigInt(shift) : left.coefficient;
  const divisor = shift >= 0 ? right.coefficient : right.coefficient * 10n ** BigInt(-shift);
  const negative = dividend < 0n !== divisor < 0n;
  const [top, bottom] = [magnitude(dividend), magnitude(divisor)];
  const rounded = top / bottom + ((top % bottom) * 2n >= bottom ? 1n : 0n);
  return { coefficient: negative ? -rounded : rounded, exponent: -divisionDigits };
};

const operations = {
  add: (left, right) => sum(left, right, 1n),
  subtract: (left, right) => sum(left, right, -1n),
  multiply: (left, right) => ({
    coefficient: left.coefficient * right.coefficient,
    exponent: left.exponent + right.exponent,
  }),
  divide: quotient,
} satisfies Record<string, (left: Decimal, right: Decimal) => Decimal>;

/** Exact decimal arithmetic over floats, from left to right: 0.1 + 0.2 is 0.3. */
export const decimalFold = (operation: keyof typeof operations, first: number, others: readonly number[]): number => {
  const { coefficient, exponent } = others.map(decimalOf).reduce(operations[operation], decimalOf(first));
  return Number(`${coefficient}e${exponent}`);
};
