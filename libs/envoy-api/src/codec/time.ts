/** Seconds and nanoseconds of equal sign, as google.protobuf.Duration and Timestamp hold them. */
export interface SecondsAndNanos {
  readonly seconds: number;
  readonly nanos: number;
}

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
const MAX_DURATION_SECONDS = 315_576_000_000;

/** `1.500s`; undefined where the text is no duration. */
export function parseDuration(text: string): SecondsAndNanos | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const seconds = Number(whole);
  if (seconds > MAX_DURATION_SECONDS) return undefined;
  const nanos = fraction === '' ? 0 : Number(fraction.padEnd(9, '0'));
  return sign === '-' ? { seconds: 0 - seconds, nanos: 0 - nanos } : { seconds, nanos };
}

export function formatDuration({ seconds, nanos }: SecondsAndNanos): string {
  const sign = seconds < 0 || nanos < 0 ? '-' : '';
  return `${sign}${Math.abs(seconds)}${formatFraction(Math.abs(nanos))}s`;
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

/** RFC 3339; undefined where the text is no timestamp. */
export function parseTimestamp(text: string): SecondsAndNanos | undefined {
  const match = TIMESTAMP.exec(text);
  if (!match) return undefined;
  const [, date = '', time = '', fraction = '', zone = ''] = match;
  const milliseconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return { seconds: milliseconds / 1000, nanos: fraction === '' ? 0 : Number(fraction.padEnd(9, '0')) };
}

export function formatTimestamp({ seconds, nanos }: SecondsAndNanos): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${formatFraction(nanos)}Z`;
}

/** Nothing, or 3, 6 or 9 digits after a dot, as canonical protobuf JSON has it. */
function formatFraction(nanos: number): string {
  return nanos === 0
    ? ''
    : `.${String(nanos)
        .padStart(9, '0')
        .replace(/(?:000){1,2}$/, '')}`;
}
