import { offsetAt, type Zone } from './zone.ts';

/** An instant in nanoseconds since 1970, seen in a zone. */
export interface Time {
  readonly nanoseconds: bigint;
  readonly zone: Zone;
}

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** The year 1 at midnight, which Go takes for no time at all. */
export const zeroTime: Time = { nanoseconds: -62_135_596_800_000_000_000n, zone: 'UTC' };

const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

const millisecondsOf = ({ nanoseconds }: Time): number => Number(floorDivide(nanoseconds, 1_000_000n));

/** What clocks and calendars in the zone show; `fraction` is in nanoseconds. */
export const fieldsOf = (time: Time) => {
  const milliseconds = millisecondsOf(time);
  const offset = offsetAt(time.zone, milliseconds);
  const local = new Date(milliseconds + offset.seconds * 1000);
  const year = local.getUTCFullYear();
  const newYear = Date.UTC(2000, 0, 1) + (new Date(Date.UTC(2000, 0, 1)).setUTCFullYear(year) - Date.UTC(2000, 0, 1));
  return {
    offset,
    year,
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    yearDay: Math.floor((local.getTime() - newYear) / 86_400_000) + 1,
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    fraction: Number(((time.nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n),
  };
};

export type Fields = ReturnType<typeof fieldsOf>;

const pad = (value: number, length = 2, fill = '0'): string => String(value).padStart(length, fill);

const zoneOffset = (seconds: number, separator: string, parts: 1 | 2 | 3): string => {
  const magnitude = Math.abs(seconds);
  const numbers = [Math.trunc(magnitude / 3600), Math.trunc(magnitude / 60) % 60, magnitude % 60];
  return (
    (seconds < 0 ? '-' : '+') +
    numbers
      .slice(0, parts)
      .map((number) => pad(number))
      .join(separator)
  );
};

const withZ = (text: (fields: Fields) => string) => (fields: Fields) =>
  fields.offset.seconds === 0 ? 'Z' : text(fields);

const offsets: Readonly<Record<string, (fields: Fields) => string>> = {
  '07:00:00': ({ offset }) => zoneOffset(offset.seconds, ':', 3),
  '070000': ({ offset }) => zoneOffset(offset.seconds, '', 3),
  '07:00': ({ offset }) => zoneOffset(offset.seconds, ':', 2),
  '0700': ({ offset }) => zoneOffset(offset.seconds, '', 2),
  '07': ({ offset }) => zoneOffset(offset.seconds, '', 1),
};

/** What each element of a layout prints; the elements are those of Go's reference time, longest first. */
const elements: Readonly<Record<string, (fields: Fields) => string>> = {
  January: ({ month }) => months[month - 1]!,
  Jan: ({ month }) => months[month - 1]!.slice(0, 3),
  Monday: ({ weekday }) => weekdays[weekday]!,
  Mon: ({ weekday }) => weekdays[weekday]!.slice(0, 3),
  MST: ({ offset }) => offset.name || zoneOffset(offset.seconds, '', 2),
  '2006': ({ year }) => pad(year, 4),
  '002': ({ yearDay }) => pad(yearDay, 3),
  __2: ({ yearDay }) => pad(yearDay, 3, ' '),
  '15': ({ hour }) => pad(hour),
  '01': ({ month }) => pad(month),
  '02': ({ day }) => pad(day),
  '03': ({ hour }) => pad(hour % 12 || 12),
  '04': ({ minute }) => pad(minute),
  '05': ({ second }) => pad(second),
  '06': ({ year }) => pad(year % 100),
  ...Object.fromEntries(
    Object.entries(offsets).flatMap(([layout, text]) => [
      [`-${layout}`, text],
      [`Z${layout}`, withZ(text)],
    ]),
  ),
  _2: ({ day }) => pad(day, 2, ' '),
  PM: ({ hour }) => (hour >= 12 ? 'PM' : 'AM'),
  pm: ({ hour }) => (hour >= 12 ? 'pm' : 'am'),
  '1': ({ month }) => String(month),
  '2': ({ day }) => String(day),
  '3': ({ hour }) => String(hour % 12 || 12),
  '4': ({ minute }) => String(minute),
  '5': ({ second }) => String(second),
};

/** `.000` and `.999` after a second, which no digit follows; then the elements, longest first. `_2006` is an underscore and a year. */
const layoutPattern = new RegExp(
  [
    '[.,]0+(?![0-9])',
    '[.,]9+(?![0-9])',
    'January',
    'Jan(?![a-z])',
    'Monday',
    'Mon(?![a-z])',
    '(?<=_)2006',
    '2006',
    '-07:00:00',
    '-070000',
    '-07:00',
    '-0700',
    '-07',
    'Z07:00:00',
    'Z070000',
    'Z07:00',
    'Z0700',
    'Z07',
    'MST',
    '002',
    '__2',
    '_2(?!006)',
    '0[1-6]',
    '15',
    'PM',
    'pm',
    '[1-5]',
  ].join('|'),
  'g',
);

/** A layout's parts: elements of the reference time, and what stands between them. */
export const layoutParts = (layout: string): readonly { readonly element: boolean; readonly text: string }[] => {
  const parts: { element: boolean; text: string }[] = [];
  let at = 0;
  for (const match of layout.matchAll(layoutPattern)) {
    if (match.index > at) parts.push({ element: false, text: layout.slice(at, match.index) });
    parts.push({ element: true, text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < layout.length) parts.push({ element: false, text: layout.slice(at) });
  return parts;
};

const fraction = (element: string, value: number): string => {
  const digits = pad(value, 9)
    .slice(0, element.length - 1)
    .padEnd(element.length - 1, '0');
  const shown = element.charAt(1) === '9' ? digits.replace(/0+$/, '') : digits;
  return shown === '' ? '' : element.charAt(0) + shown;
};

/** Go's `Time.Format`. */
export const formatTime = (time: Time, layout: string): string => {
  const fields = fieldsOf(time);
  return layoutParts(layout)
    .map(({ element, text }) => {
      if (!element) return text;
      return /^[.,]/.test(text) ? fraction(text, fields.fraction) : elements[text]!(fields);
    })
    .join('');
};
