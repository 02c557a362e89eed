import { quote, unquoteChar } from '../text/quote.ts';

/**
 * A numeric literal has every type that holds its value: `1.0` may be an argument of type int. Where no type is asked for,
 * it is what it looks like (see `ideal`).
 */
export interface NumberLiteral {
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
  readonly complex?: { readonly real: number; readonly imaginary: number };
  /** The type where none is asked for. */
  readonly ideal: 'int' | 'float' | 'complex' | 'overflow';
}

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;

/** Go's ParseInt with base 0, without its range check. */
export const parseInteger = (text: string): bigint | undefined => {
  const match =
    /^([+-]?)(0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB]_?[01]+(?:_[01]+)*|0[oO]_?[0-7]+(?:_[0-7]+)*|0(?:_?[0-7]+)*|[1-9][0-9]*(?:_[0-9]+)*)$/.exec(
      text,
    );
  if (match === null) return undefined;
  const digits = match[2]!.replaceAll('_', '');
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  return match[1] === '-' ? -value : value;
};

const parseHexFloat = (text: string): number | undefined => {
  const match = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$/.exec(text);
  if (match === null || match[2]! + match[3]! === '') return undefined;
  const mantissa = Number(BigInt(`0x${match[2]}${match[3]}`));
  const value = mantissa * 2 ** (Number(match[4]) - 4 * match[3]!.length);
  return match[1] === '-' ? -value : value;
};

/** Go's ParseFloat; undefined where the syntax is wrong or the number is out of range. */
export const parseFloat64 = (text: string): number | undefined => {
  // Underscores are for literals with a base prefix only.
  const plain = /^[+-]?0[xX]/.test(text) ? text.replaceAll('_', '') : text;
  if (/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(plain)) {
    const value = Number(plain);
    return Number.isFinite(value) ? value : undefined;
  }
  return parseHexFloat(plain);
};

const integral = (value: number): Pick<NumberLiteral, 'int' | 'uint'> => {
  if (!Number.isInteger(value)) return {};
  const exact = BigInt(value);
  return {
    ...(exact >= minInt && exact <= maxInt && { int: exact }),
    ...(exact >= 0n && exact <= maxUint && { uint: exact }),
  };
};

const complexLiteral = (real: number, imaginary: number): NumberLiteral => ({
  ...(imaginary === 0 && { float: real, ...integral(real) }),
  complex: { real, imaginary },
  ideal: 'complex',
});

export type NumberResult = { readonly value: NumberLiteral } | { readonly error: string };

const charLiteral = (text: string): NumberResult => {
  const char = unquoteChar(text.slice(1), "'");
  if (char === undefined) return { error: 'invalid syntax' };
  if (char.tail !== "'") return { error: `malformed character constant: ${text}` };
  const code = BigInt(char.code);
  return { value: { int: code, uint: code, float: char.code, ideal: 'int' } };
};

/** Meaning of a number or character constant, or what is wrong with it. */
export const numberLiteral = (text: string, kind: 'charConstant' | 'complex' | 'number'): NumberResult => {
  if (kind === 'charConstant') return charLiteral(text);
  if (kind === 'complex') {
    const [, real, imaginary] = /^(.*[^eEpP])([+-].*)i$/.exec(text) ?? [];
    const parts = [parseFloat64(real ?? ''), parseFloat64(imaginary ?? '')] as const;
    if (parts[0] === undefined || parts[1] === undefined) return { error: 'syntax error scanning complex number' };
    return { value: complexLiteral(parts[0], parts[1]) };
  }
  if (text.endsWith('i')) {
    const imaginary = parseFloat64(text.slice(0, -1));
    if (imaginary !== undefined) return { value: complexLiteral(0, imaginary) };
  }
  const exact = parseInteger(text);
  if (exact !== undefined && exact <= maxUint && exact >= minInt) {
    const int = exact <= maxInt ? { int: exact } : {};
    // A sign is no part of an unsigned number.
    const uint = exact === 0n || (exact > 0n && !text.startsWith('+')) ? { uint: exact } : {};
    return { value: { ...int, ...uint, float: Number(exact), ideal: 'int' in int ? 'int' : 'overflow' } };
  }
  const float = parseFloat64(text);
  if (float === undefined) return { error: `illegal number syntax: ${quote(text)}` };
  if (!/[.eEpP]/.test(text)) return { error: `integer overflow: ${quote(text)}` };
  return { value: { float, ...integral(float), ideal: 'float' } };
};
