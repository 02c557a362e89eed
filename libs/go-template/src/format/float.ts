/** A finite number's decimal digits: 0.d1d2d3... × 10^point. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** Every digit of the binary number's exact value. */
const exactDecimal = (magnitude: number): Decimal => {
  if (magnitude === 0) return { digits: '', point: 0 };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, magnitude);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & (2n ** 52n - 1n);
  const mantissa = biased === 0 ? fraction : fraction | (2n ** 52n);
  const exponent = Math.max(biased, 1) - 1075;
  const scaled = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const digits = scaled.toString();
  return { digits: digits.replace(/0+$/, ''), point: digits.length + Math.min(exponent, 0) };
};

const shortestDecimal = (magnitude: number): Decimal => {
  if (magnitude === 0) return { digits: '', point: 0 };
  const [mantissa, exponent] = magnitude.toExponential().split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
};

/** Rounds to a number of digits, half to even. */
const round = ({ digits, point }: Decimal, count: number): Decimal => {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return { digits: '', point: 0 };
  const kept = digits.slice(0, count);
  const next = digits.charCodeAt(count) - 48;
  const tie = next === 5 && count + 1 === digits.length;
  const isOdd = count > 0 && (digits.charCodeAt(count - 1) & 1) === 1;
  if (next < 5 || (tie && !isOdd)) return { digits: kept, point };
  const raised = (BigInt(kept === '' ? '0' : kept) + 1n).toString();
  return raised.length > count ? { digits: raised, point: point + 1 } : { digits: raised.padStart(count, '0'), point };
};

const exponential = ({ digits, point }: Decimal, precision: number, letter: string): string => {
  const fraction = digits.slice(1, precision + 1).padEnd(precision, '0');
  const exponent = digits === '' ? 0 : point - 1;
  const sign = exponent < 0 ? '-' : '+';
  const head = digits.charAt(0) || '0';
  return `${head}${fraction === '' ? '' : `.${fraction}`}${letter}${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
};

const fixed = ({ digits, point }: Decimal, precision: number): string => {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  let fraction = '';
  for (let index = 0; index < precision; index++) fraction += digits.charAt(point + index) || '0';
  return fraction === '' ? whole : `${whole}.${fraction}`;
};

const hexadecimal = (magnitude: number, precision: number): string => {
  if (magnitude === 0) return `0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`;
  let exponent = Math.max(Math.floor(Math.log2(magnitude)), -1074);
  let mantissa = magnitude / 2 ** exponent;
  while (mantissa >= 2) [mantissa, exponent] = [mantissa / 2, exponent + 1];
  while (mantissa < 1) [mantissa, exponent] = [mantissa * 2, exponent - 1];
  let scaled = BigInt(mantissa * 2 ** 52);
  if (precision >= 0 && precision < 13) {
    const shift = BigInt(52 - 4 * precision);
    const [half, rest] = [1n << (shift - 1n), scaled & ((1n << shift) - 1n)];
    scaled >>= shift;
    if (rest > half || (rest === half && (scaled & 1n) === 1n)) scaled++;
    if (scaled >> BigInt(4 * precision) === 2n) [scaled, exponent] = [scaled >> 1n, exponent + 1];
    scaled <<= shift;
  }
  let fraction = (scaled & (2n ** 52n - 1n)).toString(16).padStart(13, '0');
  fraction = precision < 0 ? fraction.replace(/0+$/, '') : fraction.padEnd(precision, '0').slice(0, precision);
  const sign = exponent < 0 ? '-' : '+';
  return `0x1${fraction === '' ? '' : `.${fraction}`}p${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
};

const binary = (magnitude: number): string => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, magnitude);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & (2n ** 52n - 1n);
  const exponent = Math.max(biased, 1) - 1075;
  return `${biased === 0 ? fraction : fraction | (2n ** 52n)}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
};

/** Verbs of Go's `strconv.FormatFloat`. */
export type FloatVerb = 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X' | 'b';

const magnitudeText = (magnitude: number, verb: FloatVerb, precision: number): string => {
  const shortest = precision < 0;
  const decimal = shortest ? shortestDecimal(magnitude) : exactDecimal(magnitude);
  switch (verb) {
    case 'e':
    case 'E': {
      const digits = shortest ? Math.max(decimal.digits.length - 1, 0) : precision;
      return exponential(round(decimal, digits + 1), digits, verb);
    }
    case 'f': {
      if (shortest) return fixed(decimal, Math.max(decimal.digits.length - decimal.point, 0));
      return fixed(round(decimal, decimal.point + precision), precision);
    }
    case 'g':
    case 'G': {
      const wanted = precision === 0 ? 1 : precision;
      const rounded = shortest ? decimal : round(decimal, wanted);
      const { point } = rounded;
      const digits = rounded.digits.replace(/0+$/, '');
      const exponent = digits === '' ? 0 : point - 1;
      const limit = shortest ? 6 : wanted > digits.length && digits.length >= point ? digits.length : wanted;
      if (digits !== '' && (exponent < -4 || exponent >= limit)) {
        return exponential({ digits, point }, digits.length - 1, verb === 'g' ? 'e' : 'E');
      }
      return fixed({ digits, point }, Math.max(digits.length - point, 0));
    }
    case 'x':
      return hexadecimal(magnitude, precision);
    case 'X':
      return hexadecimal(magnitude, precision).toUpperCase();
    case 'b':
      return binary(magnitude);
  }
};

/** Go's `strconv.FormatFloat`; a negative precision means the fewest digits that tell the number from others. */
export const formatFloat = (value: number, verb: FloatVerb, precision: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return sign === '' ? '+Inf' : '-Inf';
  return sign + magnitudeText(Math.abs(value), verb, precision);
};
