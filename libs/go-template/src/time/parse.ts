import { FunctionError } from '../exec/template-error.ts';
import { quote } from '../text/quote.ts';
import { layoutParts, months, weekdays, type Time } from './layout.ts';
import { offsetAt, type Zone } from './zone.ts';

interface Parsed {
  year: number;
  month: number;
  day: number;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  fraction: bigint;
  afternoon: boolean | undefined;
  offset: number | undefined;
  zoneName: string;
}

type Reader = readonly [pattern: RegExp, store: (text: string, into: Parsed) => void];

const named = (names: readonly string[], length?: number): RegExp =>
  new RegExp(`^(?:${names.map((name) => name.slice(0, length)).join('|')})`, 'i');

const monthOf = (text: string): number =>
  months.findIndex((name) => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase()) + 1;

const offsetSeconds = (text: string): number => {
  if (text === 'Z') return 0;
  const [hours = 0, minutes = 0, seconds = 0] = (text.slice(1).match(/\d\d/g) ?? []).map(Number);
  return (hours * 3600 + minutes * 60 + seconds) * (text.startsWith('-') ? -1 : 1);
};

const number = (
  pattern: RegExp,
  field: 'year' | 'month' | 'day' | 'yearDay' | 'hour' | 'minute' | 'second',
): Reader => [
  pattern,
  (text, into) => {
    into[field] = Number(text);
  },
];

const offset = (pattern: RegExp): Reader => [
  pattern,
  (text, into) => {
    into.offset = offsetSeconds(text);
  },
];

const afternoon: Reader['1'] = (text, into) => {
  into.afternoon = /^p/i.test(text);
};

const month: Reader['1'] = (text, into) => {
  into.month = monthOf(text);
};

const ignored: Reader['1'] = () => undefined;

const readers: Readonly<Record<string, Reader>> = {
  January: [named(months), month],
  Jan: [named(months, 3), month],
  Monday: [named(weekdays), ignored],
  Mon: [named(weekdays, 3), ignored],
  MST: [
    /^(?:[A-Z]{3,5}|[+-]\d\d)/,
    (text, into) => {
      into.zoneName = text;
    },
  ],
  '2006': number(/^\d{4}/, 'year'),
  '06': [
    /^\d\d/,
    (text, into) => {
      into.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000);
    },
  ],
  '002': number(/^\d{3}/, 'yearDay'),
  __2: number(/^[ \d]{2}\d/, 'yearDay'),
  '01': number(/^\d\d/, 'month'),
  '1': number(/^\d{1,2}/, 'month'),
  '02': number(/^\d\d/, 'day'),
  _2: number(/^(?: \d|\d{1,2})/, 'day'),
  '2': number(/^\d{1,2}/, 'day'),
  '15': number(/^\d\d/, 'hour'),
  '03': number(/^\d\d/, 'hour'),
  '3': number(/^\d{1,2}/, 'hour'),
  '04': number(/^\d\d/, 'minute'),
  '4': number(/^\d{1,2}/, 'minute'),
  '05': number(/^\d\d/, 'second'),
  '5': number(/^\d{1,2}/, 'second'),
  PM: [/^[AP]M/, afternoon],
  pm: [/^[ap]m/, afternoon],
  'Z07:00:00': offset(/^(?:Z|[+-]\d\d:\d\d:\d\d)/),
  Z070000: offset(/^(?:Z|[+-]\d{6})/),
  'Z07:00': offset(/^(?:Z|[+-]\d\d:\d\d)/),
  Z0700: offset(/^(?:Z|[+-]\d{4})/),
  Z07: offset(/^(?:Z|[+-]\d\d)/),
  '-07:00:00': offset(/^[+-]\d\d:\d\d:\d\d/),
  '-070000': offset(/^[+-]\d{6}/),
  '-07:00': offset(/^[+-]\d\d:\d\d/),
  '-0700': offset(/^[+-]\d{4}/),
  '-07': offset(/^[+-]\d\d/),
};

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/** Go's `time.ParseInLocation`. Throws a FunctionError with its text. */
export const parseTime = (layout: string, text: string, local: Zone): Time => {
  const fail = (rest: string, element: string, reason = ''): FunctionError =>
    new FunctionError(
      reason === ''
        ? `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element)}`
        : `parsing time ${quote(text)}${reason}`,
    );
  const into: Parsed = {
    year: 0,
    month: 0,
    day: 0,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    fraction: 0n,
    afternoon: undefined,
    offset: undefined,
    zoneName: '',
  };
  let rest = text;
  const takeFraction = (pattern: RegExp): boolean => {
    const digits = pattern.exec(rest);
    if (digits === null) return false;
    into.fraction = BigInt(digits[0].slice(1, 10).padEnd(9, '0'));
    rest = rest.slice(digits[0].length);
    return true;
  };
  const parts = layoutParts(layout);
  parts.forEach(({ element, text: part }, index) => {
    if (!element) {
      if (!rest.startsWith(part)) throw fail(rest, part);
      rest = rest.slice(part.length);
      return;
    }
    if (/^[.,]0/.test(part)) {
      if (!takeFraction(new RegExp(`^[.,]\\d{${part.length - 1}}`))) throw fail(rest, part);
      return;
    }
    if (/^[.,]9/.test(part)) {
      takeFraction(/^[.,]\d+/);
      return;
    }
    const [pattern, store] = readers[part]!;
    const match = pattern.exec(rest)?.[0];
    if (match === undefined) throw fail(rest, part);
    store(match, into);
    rest = rest.slice(match.length);
    // Seconds may have a fraction that the layout doesn't mention.
    if ((part === '05' || part === '5') && !/^[.,][09]/.test(parts[index + 1]?.text ?? '')) takeFraction(/^[.,]\d+/);
  });
  if (rest !== '') throw fail(rest, '', `: extra text: ${quote(rest)}`);
  return timeOf(into, local, (field) => fail('', '', `: ${field} out of range`));
};

const timeOf = (parsed: Parsed, local: Zone, outOfRange: (field: string) => FunctionError): Time => {
  const { year, minute, second, fraction, offset: seconds, zoneName } = parsed;
  let { hour } = parsed;
  let [monthNumber, day] = [parsed.month || 1, parsed.day || 1];
  if (parsed.month > 12) throw outOfRange('month');
  if (hour > 23) throw outOfRange('hour');
  if (minute > 59) throw outOfRange('minute');
  if (second > 59) throw outOfRange('second');
  if (parsed.yearDay !== undefined) {
    const date = new Date(Date.UTC(2000 + (year % 400), 0, parsed.yearDay));
    [monthNumber, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
  }
  if (day > daysIn(year, monthNumber)) throw outOfRange('day');
  if (parsed.afternoon === true && hour < 12) hour += 12;
  else if (parsed.afternoon === false && hour === 12) hour = 0;
  const wall = new Date(Date.UTC(2000, monthNumber - 1, day, hour, minute, second));
  wall.setUTCFullYear(year, monthNumber - 1, day);
  const at = (milliseconds: number, zone: Zone): Time => ({
    nanoseconds: BigInt(milliseconds) * 1_000_000n + fraction,
    zone,
  });
  const wallMilliseconds = wall.getTime();
  if (seconds !== undefined) {
    const instant = wallMilliseconds - seconds * 1000;
    const here = offsetAt(local, instant);
    if (here.seconds === seconds && (zoneName === '' || zoneName === here.name)) return at(instant, local);
    return at(instant, seconds === 0 && zoneName === '' ? 'UTC' : { name: zoneName, seconds });
  }
  if (zoneName === 'UTC') return at(wallMilliseconds, 'UTC');
  if (zoneName !== '') {
    const here = offsetAt(local, wallMilliseconds);
    if (here.name === zoneName) return at(wallMilliseconds - here.seconds * 1000, local);
    // An abbreviation that means nothing here is a zone without an offset.
    return at(wallMilliseconds, { name: zoneName, seconds: 0 });
  }
  const guess = offsetAt(local, wallMilliseconds).seconds;
  return at(wallMilliseconds - offsetAt(local, wallMilliseconds - guess * 1000).seconds * 1000, local);
};
