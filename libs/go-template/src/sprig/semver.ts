import { FunctionError } from '../exec/template-error.ts';
import { quote } from '../text/quote.ts';
import { codecs, constant, fn, type Codec, type FunctionTable } from '../value/function.ts';
import { namedType } from '../value/type.ts';
import { GoInt, GoStruct, type Value } from '../value/value.ts';

const { bool, string } = codecs;

interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const tail = '(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?';
const looseVersion = new RegExp(`^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?${tail}$`);

/** Minor and patch may be left out. Throws a FunctionError. */
const parseVersion = (text: string): Version => {
  if (text.length > 256) throw new FunctionError('version string is too long (max 256 bytes)');
  const match = looseVersion.exec(text);
  if (match === null) throw new FunctionError('invalid semantic version');
  const [, major, minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  const hasLeadingZero = prerelease.split('.').some((part) => /^0[0-9]+$/.test(part));
  if (hasLeadingZero) throw new FunctionError('version segment starts with 0');
  return { major: BigInt(major!), minor: BigInt(minor), patch: BigInt(patch), prerelease, metadata, original: text };
};

const order = <T extends bigint | string>(left: T, right: T): number => (left < right ? -1 : left > right ? 1 : 0);

const comparePart = (left: string, right: string): number => {
  if (left === right) return 0;
  // A version with fewer parts comes first.
  if (left === '' || right === '') return left === '' ? -1 : 1;
  const [leftNumber, rightNumber] = [/^[0-9]+$/.test(left), /^[0-9]+$/.test(right)];
  if (leftNumber && rightNumber) return order(BigInt(left), BigInt(right));
  return leftNumber === rightNumber ? order(left, right) : leftNumber ? -1 : 1;
};

const comparePrereleases = (left: string, right: string): number => {
  if (left === right) return 0;
  if (left === '' || right === '') return left === '' ? 1 : -1;
  const [leftParts, rightParts] = [left.split('.'), right.split('.')];
  const length = Math.max(leftParts.length, rightParts.length);
  for (let index = 0; index < length; index++) {
    const result = comparePart(leftParts[index] ?? '', rightParts[index] ?? '');
    if (result !== 0) return result;
  }
  return 0;
};

const compareVersions = (left: Version, right: Version): number =>
  order(left.major, right.major) ||
  order(left.minor, right.minor) ||
  order(left.patch, right.patch) ||
  comparePrereleases(left.prerelease, right.prerelease);

/** How much of a constraint's version is written out: `1.2` leaves the patch open, `1.x` the minor. */
interface Constraint {
  readonly operator: string;
  readonly version: Version;
  readonly open: 'all' | 'minor' | 'patch' | undefined;
}

const loosePart = '[0-9|x|X|*]+';
const looseRange = `v?(${loosePart})(?:\\.(${loosePart}))?(?:\\.(${loosePart}))?${tail}`;
const operators = '=|!=|>=|=>|<=|=<|>|<|~>|~|\\^|';
const singleConstraint = `(?:${operators})\\s*${looseRange.replace(/\((?!\?)/g, '(?:')}`;
const validConstraint = new RegExp(`^\\s*${singleConstraint}\\s*(?:(?:\\s+|,\\s*)${singleConstraint}\\s*)*$`);
const oneConstraint = new RegExp(`^(${operators})\\s*${looseRange}\\s*$`);
const eachConstraint = new RegExp(singleConstraint, 'g');
const hyphenRange = new RegExp(
  `\\s*(${looseRange.replace(/\((?!\?)/g, '(?:')})\\s+-\\s+(${looseRange.replace(/\((?!\?)/g, '(?:')})\\s*`,
  'g',
);

const isOpen = (part: string | undefined): boolean => part === undefined || /^[xX*]$/.test(part);

const parseConstraint = (text: string): Constraint => {
  const match = oneConstraint.exec(text.trim());
  if (match === null) throw new FunctionError(`improper constraint: ${quote(text)}`);
  const [, operator = '', major, minor, patch, prerelease] = match;
  const suffix = prerelease === undefined ? '' : `-${prerelease}`;
  const open = isOpen(major) ? 'all' : isOpen(minor) ? 'minor' : isOpen(patch) ? 'patch' : undefined;
  const numbers = { all: '0.0.0', minor: `${major}.0.0`, patch: `${major}.${minor}.0` };
  const written = open === undefined ? `${major}.${minor}.${patch}` : numbers[open];
  try {
    return { operator, version: parseVersion(written + suffix), open };
  } catch {
    throw new FunctionError('constraint parser error');
  }
};

const tilde = (version: Version, { version: wanted, open }: Constraint): boolean => {
  if (compareVersions(version, wanted) < 0) return false;
  const isZero = wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n;
  if (isZero && open !== 'minor' && open !== 'patch') return true;
  return version.major === wanted.major && (version.minor === wanted.minor || open === 'minor');
};

const caret = (version: Version, { version: wanted, open }: Constraint): boolean => {
  if (compareVersions(version, wanted) < 0) return false;
  if (wanted.major > 0n || open === 'minor') return version.major === wanted.major;
  if (version.major > 0n) return false;
  if (wanted.minor > 0n || open === 'patch') return version.minor === wanted.minor;
  return version.minor === 0n && version.patch === wanted.patch;
};

const differs = (version: Version, { version: wanted, open }: Constraint): boolean => {
  if (open === undefined || open === 'all') {
    return open === 'all'
      ? version.major !== 0n || version.minor !== 0n || version.patch !== 0n || compareVersions(version, wanted) !== 0
      : compareVersions(version, wanted) !== 0;
  }
  if (version.major !== wanted.major) return true;
  if (open === 'minor') return false;
  if (version.minor !== wanted.minor) return true;
  return version.prerelease !== wanted.prerelease && comparePrereleases(version.prerelease, wanted.prerelease) !== 0;
};

const exceeds = (version: Version, { version: wanted, open }: Constraint): boolean => {
  if (open === undefined) return compareVersions(version, wanted) > 0;
  if (version.major !== wanted.major) return version.major > wanted.major;
  if (open === 'minor') return false;
  return open === 'patch' ? version.minor > wanted.minor : compareVersions(version, wanted) > 0;
};

const atMost = (version: Version, { version: wanted, open }: Constraint): boolean => {
  if (open === undefined) return compareVersions(version, wanted) <= 0;
  if (version.major > wanted.major) return false;
  return !(version.major === wanted.major && version.minor > wanted.minor && open !== 'minor');
};

const atLeast = (version: Version, { version: wanted }: Constraint): boolean => compareVersions(version, wanted) >= 0;
const equals = (version: Version, constraint: Constraint): boolean =>
  constraint.open === undefined ? compareVersions(version, constraint.version) === 0 : tilde(version, constraint);

const checks: Readonly<Record<string, (version: Version, constraint: Constraint) => boolean>> = {
  '': equals,
  '=': equals,
  '!=': differs,
  '>': exceeds,
  '<': (version, { version: wanted }) => compareVersions(version, wanted) < 0,
  '>=': atLeast,
  '=>': atLeast,
  '<=': atMost,
  '=<': atMost,
  '~': tilde,
  '~>': tilde,
  '^': caret,
};

const parseAll = (text: string): readonly Constraint[] => {
  if (!validConstraint.test(text)) throw new FunctionError(`improper constraint: ${quote(text)}`);
  return (text.match(eachConstraint) ?? []).map(parseConstraint);
};

/** Whether a version is within a range; prereleases are so only where the range names one. Throws a FunctionError. */
const satisfies = (range: string, version: () => Version): boolean => {
  if (range.length > 512) throw new FunctionError('constraint string is too long (max 512 bytes)');
  const alternatives = range
    .replace(hyphenRange, (_, from: string, to: string) => `>= ${from}, <= ${to} `)
    .split('||')
    .map(parseAll);
  const actual = version();
  return alternatives.some((constraints) => {
    const admitsPrereleases = constraints.some((constraint) => constraint.version.prerelease !== '');
    if (actual.prerelease !== '' && !admitsPrereleases) return false;
    return constraints.every((constraint) => checks[constraint.operator]!(actual, constraint));
  });
};

const versionType = namedType('*semver.Version', 'ptr');

const versionText = ({ major, minor, patch, prerelease, metadata }: Version): string =>
  `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;

const natives = new WeakMap<GoStruct, Version>();

const versionCodec: Codec<Version> = {
  type: versionType,
  decode: (value: Value) => natives.get(value as GoStruct)!,
  encode: (version: Version) => {
    const number = (value: bigint) => () => constant(new GoInt('uint64', value));
    const text = (value: string) => () => constant(value);
    const next = (changed: Partial<Version>) => () =>
      constant(versionCodec.encode({ ...version, metadata: '', prerelease: '', original: '', ...changed }));
    const comparison = (holds: (order: number) => boolean) => () =>
      fn([versionCodec], bool, (other) => holds(compareVersions(version, other)));
    const struct = new GoStruct(
      versionType,
      {},
      {
        Major: number(version.major),
        Minor: number(version.minor),
        Patch: number(version.patch),
        Prerelease: text(version.prerelease),
        Metadata: text(version.metadata),
        Original: text(version.original),
        String: text(versionText(version)),
        Compare: () => fn([versionCodec], codecs.int, (other) => compareVersions(version, other)),
        Equal: comparison((result) => result === 0),
        LessThan: comparison((result) => result < 0),
        LessThanEqual: comparison((result) => result <= 0),
        GreaterThan: comparison((result) => result > 0),
        GreaterThanEqual: comparison((result) => result >= 0),
        IncMajor: next({ major: version.major + 1n, minor: 0n, patch: 0n }),
        IncMinor: next({ minor: version.minor + 1n, patch: 0n }),
        IncPatch: next({ patch: version.prerelease === '' ? version.patch + 1n : version.patch }),
      },
      versionText(version),
    );
    natives.set(struct, version);
    return struct;
  },
};

export const semverFunctions: FunctionTable = {
  semver: fn([string], versionCodec, parseVersion),
  semverCompare: fn([string, string], bool, (range, version) => satisfies(range, () => parseVersion(version))),
};
