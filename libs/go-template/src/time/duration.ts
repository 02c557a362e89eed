/** Lengths of time in nanoseconds, written as Go writes them: 1h2m3.5s. */

export const second = 1_000_000_000n;
export const minute = 60n * second;
export const hour = 60n * minute;
export const day = 24n * hour;

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: minute,
  h: hour,
};

const limit = 2n ** 63n;

/** Undefined where the syntax is wrong or the length is out of range. */
export const parseDuration = (text: string): bigint | undefined => {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0n;
  if (!/^(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(unsigned)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of unsigned.matchAll(/([0-9]*)\.?([0-9]*)([a-zµμ]+)/g)) {
    const size = units[unit]!;
    total += BigInt(whole || '0') * size + (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  const value = text.startsWith('-') ? -total : total;
  return value >= -limit && value < limit ? value : undefined;
};

const decimal = (value: bigint, unit: bigint): string => {
  const digits = (unit.toString().length - 1) as number;
  const fraction = (value % unit).toString().padStart(digits, '0').slice(0, digits).replace(/0+$/, '');
  return `${value / unit}${fraction === '' || digits === 0 ? '' : `.${fraction}`}`;
};

export const formatDuration = (duration: bigint): string => {
  if (duration === 0n) return '0s';
  const sign = duration < 0n ? '-' : '';
  const value = duration < 0n ? -duration : duration;
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 1_000n)}µs`;
  if (value < second) return `${sign}${decimal(value, 1_000_000n)}ms`;
  const hours = value / hour;
  const minutes = (value / minute) % 60n;
  const seconds = `${decimal(value % minute, second)}s`;
  if (value < minute) return sign + seconds;
  return `${sign}${hours > 0n ? `${hours}h` : ''}${minutes}m${seconds}`;
};

/** To the nearest multiple, half away from zero. */
export const roundDuration = (value: bigint, unit: bigint): bigint => {
  const rest = value % unit;
  const magnitude = rest < 0n ? -rest : rest;
  if (magnitude * 2n < unit) return value - rest;
  return value < 0n ? value - rest - unit : value - rest + unit;
};
