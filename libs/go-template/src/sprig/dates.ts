import { FunctionError } from '../exec/template-error.ts';
import { quote } from '../text/quote.ts';
import { day, formatDuration, hour, minute, parseDuration, roundDuration, second } from '../time/duration.ts';
import { formatTime, zeroTime, type Time } from '../time/layout.ts';
import { parseTime } from '../time/parse.ts';
import { timeCodec, timeFrom } from '../time/value.ts';
import { isZone } from '../time/zone.ts';
import { codecs, fn, type FunctionTable, type GoFunction } from '../value/function.ts';
import { GoInt, type Value } from '../value/value.ts';
import { lenient } from './json.ts';
import { type SprigOptions } from './options.ts';

const { any, string } = codecs;

const roundUnits: readonly (readonly [bigint, string])[] = [
  [365n * day, 'y'],
  [30n * day, 'mo'],
  [day, 'd'],
  [hour, 'h'],
  [minute, 'm'],
  [second, 's'],
];

const toNanoseconds = (milliseconds: number): bigint => BigInt(Math.floor(milliseconds)) * 1_000_000n;

const isInt64 = (value: Value): value is GoInt => value instanceof GoInt && value.type.kind === 'int64';

const modified = (amount: string, time: Time): Time => {
  const duration = parseDuration(amount);
  if (duration === undefined) throw new FunctionError(`time: invalid duration ${quote(amount)}`);
  return { ...time, nanoseconds: time.nanoseconds + duration };
};

/** Dates are in the local zone, which is the option's. */
export const dateFunctions = ({ now = Date.now, timeZone = 'UTC' }: SprigOptions): FunctionTable => {
  const current = (): Time => ({ nanoseconds: toNanoseconds(now()), zone: timeZone });
  const dateIn = (layout: string, value: Value, zone: string): string => {
    const wanted = zone === 'Local' ? timeZone : zone !== '' && isZone(zone) ? zone : 'UTC';
    return formatTime({ ...(timeFrom(value, timeZone) ?? current()), zone: wanted }, layout);
  };
  const sinceNow = (time: Time): bigint => current().nanoseconds - time.nanoseconds;

  const rounded = (value: Value): string => {
    const time = timeFrom(value, timeZone);
    let duration = 0n;
    if (typeof value === 'string') duration = parseDuration(value) ?? 0n;
    else if (isInt64(value)) duration = value.value;
    else if (time !== undefined && typeof value === 'object') duration = sinceNow(time);
    const length = duration < 0n ? -duration : duration;
    const [size, unit] = roundUnits.find(([least]) => length > least) ?? [1n, undefined];
    return unit === undefined ? '0s' : `${length / size}${unit}`;
  };
  const duration = (value: Value): string => {
    if (isInt64(value)) return formatDuration(BigInt.asIntN(64, value.value * second));
    const seconds = typeof value === 'string' && /^[+-]?[0-9]+$/.test(value) ? BigInt(value.replace('+', '')) : 0n;
    return formatDuration(BigInt.asIntN(64, seconds * second));
  };
  const inZone = fn([string, any, string], string, dateIn);
  const modify: GoFunction = fn([string, timeCodec], timeCodec, (amount, time) =>
    lenient(() => modified(amount, time), time),
  );
  const mustModify = fn([string, timeCodec], timeCodec, modified);

  return {
    now: fn([], timeCodec, current),
    ago: fn([any], string, (value) =>
      formatDuration(roundDuration(sinceNow(timeFrom(value, timeZone) ?? current()), second)),
    ),
    date: fn([string, any], string, (layout, value) => dateIn(layout, value, 'Local')),
    date_in_zone: inZone,
    dateInZone: inZone,
    date_modify: modify,
    dateModify: modify,
    must_date_modify: mustModify,
    mustDateModify: mustModify,
    duration: fn([any], string, duration),
    durationRound: fn([any], string, rounded),
    htmlDate: fn([any], string, (value) => dateIn('2006-01-02', value, 'Local')),
    htmlDateInZone: fn([any, string], string, (value, zone) => dateIn('2006-01-02', value, zone)),
    toDate: fn([string, string], timeCodec, (layout, text) =>
      lenient(() => parseTime(layout, text, timeZone), zeroTime),
    ),
    mustToDate: fn([string, string], timeCodec, (layout, text) => parseTime(layout, text, timeZone)),
    unixEpoch: fn([timeCodec], string, ({ nanoseconds }) => {
      const rest = ((nanoseconds % second) + second) % second;
      return ((nanoseconds - rest) / second).toString();
    }),
  };
};
