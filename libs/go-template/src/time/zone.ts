/** A time zone at an instant. */
export interface Offset {
  /** As `MST` prints it. */
  readonly name: string;
  /** Seconds east of Greenwich. */
  readonly seconds: number;
}

/** A zone by its IANA name, or one that always has the same offset. */
export type Zone = string | Offset;

const formats = new Map<string, Intl.DateTimeFormat>();

const formatFor = (zone: string, timeZoneName: 'longOffset' | 'short'): Intl.DateTimeFormat => {
  const key = `${zone} ${timeZoneName}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName });
    formats.set(key, format);
  }
  return format;
};

const nameIn = (zone: string, milliseconds: number, style: 'longOffset' | 'short'): string =>
  formatFor(zone, style)
    .formatToParts(milliseconds)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** Whether the platform knows the zone. */
export const isZone = (name: string): boolean => {
  try {
    formatFor(name, 'short');
    return true;
  } catch {
    return false;
  }
};

/** Abbreviations that English-language data leave out. */
const abbreviations: Readonly<Record<string, readonly [standard: string, summer: string]>> = {
  'Europe/London': ['GMT', 'BST'],
  'Europe/Dublin': ['GMT', 'IST'],
  'Europe/Lisbon': ['WET', 'WEST'],
};

const abbreviation = (zone: string, milliseconds: number, seconds: number): string => {
  const short = nameIn(zone, milliseconds, 'short');
  if (!/^GMT[+-]/.test(short) && short !== 'GMT') return short;
  const known = abbreviations[zone];
  if (known !== undefined) return known[seconds === 0 ? 0 : 1];
  if (zone.startsWith('Europe/')) {
    const european: Readonly<Record<number, string>> = { 3600: 'CET', 7200: 'CEST' };
    const summer = new Date(milliseconds).getUTCMonth() > 2 && new Date(milliseconds).getUTCMonth() < 10;
    if (seconds === 7200 && !summer) return 'EET';
    if (seconds === 10_800) return summer ? 'EEST' : 'MSK';
    return european[seconds] ?? short;
  }
  if (zone === 'Asia/Tokyo') return 'JST';
  if (zone === 'Asia/Kolkata' || zone === 'Asia/Calcutta') return 'IST';
  if (zone === 'Asia/Shanghai') return 'CST';
  const hours = Math.trunc(Math.abs(seconds) / 3600);
  const minutes = (Math.abs(seconds) / 60) % 60;
  const digits = String(hours).padStart(2, '0') + (minutes === 0 ? '' : String(minutes).padStart(2, '0'));
  return `${seconds < 0 ? '-' : '+'}${digits}`;
};

export const offsetAt = (zone: Zone, milliseconds: number): Offset => {
  if (typeof zone !== 'string') return zone;
  if (zone === 'UTC') return { name: 'UTC', seconds: 0 };
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(nameIn(zone, milliseconds, 'longOffset')) ?? [];
  const total = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  return { name: abbreviation(zone, milliseconds, total), seconds: total };
};
