import { describe } from '../codec/scalar-writers.ts';
import { setMember } from '../codec/members.ts';
import type { Members } from '../codec/members.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../codec/time.ts';
import { isRawMessage } from '../message.ts';
import type { Path } from '../path.ts';
import { schema, typeNameOf, typeOfUrl } from '../registry.ts';
import type { Scalar } from '../schema.ts';
import { isWellKnown, WRAPPERS } from '../well-known.ts';
import { nearest } from './nearest.ts';
import type { ParseContext } from './parse.ts';
import { parseScalar } from './scalars.ts';

type Parser = (input: unknown, path: Path | undefined, context: ParseContext) => unknown;

/** The parser of a message whose JSON form isn't an object of its fields. */
export function wellKnownParser(name: string): Parser | undefined {
  return PARSERS.get(name);
}

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ...[...WRAPPERS].map(([name, scalar]) => [name, wrapperParser(scalar)] as const),
  ['google.protobuf.Any', parseAny],
  [
    'google.protobuf.Duration',
    textParser('a duration such as 1.5s', (text) => {
      const duration = parseDuration(text);
      return duration && formatDuration(duration);
    }),
  ],
  [
    'google.protobuf.Timestamp',
    textParser('a timestamp such as 2006-01-02T15:04:05Z', (text) => {
      const time = parseTimestamp(text);
      return time && formatTimestamp(time);
    }),
  ],
  ['google.protobuf.FieldMask', textParser('a field mask', (text) => (/^[\w.,]*$/.test(text) ? text : undefined))],
  ['google.protobuf.Struct', parseStruct],
  ['google.protobuf.ListValue', parseList],
  ['google.protobuf.Value', parseJson],
]);

function wrapperParser(scalar: Scalar): Parser {
  return (input, path, context) => {
    const parsed = parseScalar(scalar, input);
    if ('value' in parsed) return parsed.value;
    context.fail(path, parsed.error);
    return undefined;
  };
}

function textParser(what: string, canonical: (text: string) => string | undefined): Parser {
  return (input, path, context) => {
    const text = typeof input === 'string' ? canonical(input) : undefined;
    if (text === undefined) context.fail(path, `${describe(input)} is not ${what}`);
    return text;
  };
}

function parseAny(input: unknown, path: Path | undefined, context: ParseContext): unknown {
  if (!isRawMessage(input)) {
    context.fail(path, `${describe(input)} is not a message with an @type`);
    return undefined;
  }
  const url = input['@type'];
  if (url === undefined && Object.keys(input).length === 0) return {};
  if (typeof url !== 'string') {
    context.fail(path, 'a message with an @type is expected here');
    return undefined;
  }
  const type = typeOfUrl(url);
  if (!type) {
    const suggestion = nearest(typeNameOf(url), schema().messageNames());
    const hint = suggestion ? `; did you mean ${suggestion}?` : '';
    context.fail({ outer: path, step: '@type' }, `${describe(url)} is not a known message type${hint}`);
    return undefined;
  }
  if (!isWellKnown(type.name)) return { '@type': url, ...(context.message(type, input, path) as object) };
  for (const key of Object.keys(input)) {
    if (key !== '@type' && key !== 'value') context.fail({ outer: path, step: key }, `${type.name} is given as value`);
  }
  const value = input['value'] ?? (type.name === 'google.protobuf.Empty' ? {} : input['value']);
  return { '@type': url, value: context.message(type, value, { outer: path, step: 'value' }) };
}

function parseStruct(input: unknown, path: Path | undefined, context: ParseContext): unknown {
  if (!isRawMessage(input)) {
    context.fail(path, `${describe(input)} is not an object`);
    return undefined;
  }
  const struct: Members = {};
  for (const [key, value] of Object.entries(input)) {
    if (value !== undefined) setMember(struct, key, parseJson(value, { outer: path, step: key }, context));
  }
  return struct;
}

function parseList(input: unknown, path: Path | undefined, context: ParseContext): unknown {
  if (Array.isArray(input))
    return input.map((value: unknown, i) => parseJson(value, { outer: path, step: i }, context));
  context.fail(path, `${describe(input)} is not a list`);
  return undefined;
}

function parseJson(input: unknown, path: Path | undefined, context: ParseContext): unknown {
  if (Array.isArray(input)) return parseList(input, path, context);
  if (isRawMessage(input)) return parseStruct(input, path, context);
  const isJson = input === null || ['string', 'boolean', 'number'].includes(typeof input);
  if (!isJson || (typeof input === 'number' && !Number.isFinite(input)))
    context.fail(path, `${describe(input)} is not JSON`);
  return input;
}
