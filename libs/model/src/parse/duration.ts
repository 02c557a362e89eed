const MILLISECONDS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 60e3,
  h: 3600e3,
};
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * Milliseconds (with a fraction where finer) of a duration as Go writes it: `1.5s`, `100ms`, `1h1m`. Protobuf JSON's
 * `10s` is a special case. Undefined where the text is no duration.
 */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(PART)) sum += Number(amount) * (MILLISECONDS[unit ?? ''] ?? 0);
  return text.startsWith('-') ? -sum : sum;
}

/** The canonical protobuf JSON of a duration: `1.500s`, `10s`, `0.000001s`. */
export function formatDuration(milliseconds: number): string {
  const nanoseconds = Math.round(Math.abs(milliseconds) * 1e6);
  const sign = milliseconds < 0 && nanoseconds > 0 ? '-' : '';
  const fraction = String(nanoseconds % 1e9)
    .padStart(9, '0')
    .replace(/(000)+$/, '');
  return `${sign}${Math.floor(nanoseconds / 1e9)}${fraction && `.${fraction}`}s`;
}
