import { codecs, constant, fn, type Codec } from '../value/function.ts';
import { namedType, types } from '../value/type.ts';
import { GoInt, GoStruct, int64, type Methods, type Value } from '../value/value.ts';
import { formatDuration } from './duration.ts';
import { fieldsOf, formatTime, months, weekdays, zeroTime, type Fields, type Time } from './layout.ts';

const timeType = namedType('time.Time', 'struct');
const durationType = namedType('time.Duration', 'int64');

const natives = new WeakMap<GoStruct, Time>();

const asText = (name: string, text: string): GoStruct =>
  new GoStruct(namedType(name, 'struct'), {}, { String: () => constant(text) }, text);

/** A duration as a value: its methods, and text. */
const durationValue = (nanoseconds: bigint): GoStruct =>
  new GoStruct(
    durationType,
    {},
    {
      String: () => constant(formatDuration(nanoseconds)),
      Hours: () => constant(Number(nanoseconds) / 3.6e12),
      Minutes: () => constant(Number(nanoseconds) / 6e10),
      Seconds: () => constant(Number(nanoseconds) / 1e9),
      Milliseconds: () => constant(int64(nanoseconds / 1_000_000n)),
      Nanoseconds: () => constant(int64(nanoseconds)),
    },
  );

const of = (self: GoStruct): Time => natives.get(self) ?? zeroTime;

const field = (name: Exclude<keyof Fields, 'offset'>) => (self: GoStruct) => constant(BigInt(fieldsOf(of(self))[name]));

const text = (layout: string) => (self: GoStruct) => constant(formatTime(of(self), layout));

const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

const unix = (unit: bigint) => (self: GoStruct) => constant(int64(floorDivide(of(self).nanoseconds, unit)));

const comparison = (holds: (order: bigint) => boolean) => (self: GoStruct) =>
  fn([timeCodec], codecs.bool, (other) => holds(of(self).nanoseconds - other.nanoseconds));

const addDate = (time: Time, years: number, monthCount: number, days: number): Time => {
  const { year, month, day, hour, minute, second, offset } = fieldsOf(time);
  const moved = new Date(Date.UTC(2000, 0, 1, hour, minute, second));
  moved.setUTCFullYear(year + years, month - 1 + monthCount, day + days);
  const fraction = ((time.nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return { ...time, nanoseconds: BigInt(moved.getTime() - offset.seconds * 1000) * 1_000_000n + fraction };
};

const methods: Methods<GoStruct> = {
  String: text('2006-01-02 15:04:05.999999999 -0700 MST'),
  Format: (self) => fn([codecs.string], codecs.string, (layout) => formatTime(of(self), layout)),
  Year: field('year'),
  Month: (self) => constant(asText('time.Month', months[fieldsOf(of(self)).month - 1]!)),
  Day: field('day'),
  Weekday: (self) => constant(asText('time.Weekday', weekdays[fieldsOf(of(self)).weekday]!)),
  YearDay: field('yearDay'),
  Hour: field('hour'),
  Minute: field('minute'),
  Second: field('second'),
  Nanosecond: field('fraction'),
  Unix: unix(1_000_000_000n),
  UnixMilli: unix(1_000_000n),
  UnixMicro: unix(1_000n),
  UnixNano: unix(1n),
  IsZero: (self) => constant(of(self).nanoseconds === zeroTime.nanoseconds),
  UTC: (self) => constant(timeCodec.encode({ ...of(self), zone: 'UTC' })),
  Before: comparison((order) => order < 0n),
  After: comparison((order) => order > 0n),
  Equal: comparison((order) => order === 0n),
  Sub: (self) => fn([timeCodec], codecs.any, (other) => durationValue(of(self).nanoseconds - other.nanoseconds)),
  AddDate: (self) =>
    fn([codecs.int, codecs.int, codecs.int], timeCodec, (years, monthCount, days) =>
      addDate(of(self), years, monthCount, days),
    ),
};

/** Times as values of templates, with Go's methods. */
export const timeCodec: Codec<Time> = {
  type: timeType,
  decode: (value: Value) => (value instanceof GoStruct ? of(value) : zeroTime),
  encode: (time: Time) => {
    const struct = new GoStruct(timeType, {}, methods, formatTime(time, '2006-01-02T15:04:05.999999999Z07:00'));
    natives.set(struct, time);
    return struct;
  },
};

/** The time that a value is: a time, or seconds since 1970 as an int or int64. Undefined for others. */
export const timeFrom = (value: Value, zone: Time['zone']): Time | undefined => {
  if (value instanceof GoStruct) return natives.get(value);
  const seconds =
    typeof value === 'bigint' ? value : value instanceof GoInt && value.type !== types.uint64 ? value.value : undefined;
  return seconds === undefined ? undefined : { nanoseconds: seconds * 1_000_000_000n, zone };
};
