import { describe } from '../codec/scalar-writers.ts';
import { setMember } from '../codec/members.ts';
import type { Members } from '../codec/members.ts';
import { isRawMessage, unknownFields } from '../message.ts';
import { formatPath } from '../path.ts';
import type { Path } from '../path.ts';
import { messageType } from '../registry.ts';
import { defaultOf } from '../schema.ts';
import type { Field, MessageType, ValueType } from '../schema.ts';
import { NULL_VALUE } from '../well-known.ts';
import { nearest } from './nearest.ts';
import { parseEnum, parseScalar } from './scalars.ts';
import { wellKnownParser } from './well-known.ts';

export interface ParseError {
  /** Place of the value in the input, such as `filterChains[0].filters[1].typedConfig`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** Set where the type has no such field: a misspelling, or a field of a newer version of the type. */
  readonly unknownField?: true;
}

/** Collects what is wrong, and parses nested messages for the parsers of well-known types. */
export interface ParseContext {
  fail(path: Path | undefined, message: string, facts?: Pick<ParseError, 'unknownField'>): void;
  message(type: MessageType, input: unknown, path: Path | undefined): unknown;
}

/** Brings protobuf JSON in any accepted spelling into canonical form; see `parse` in index.ts. */
export function parseMessage(
  name: string,
  input: unknown,
): { readonly message: unknown; readonly errors: ParseError[] } {
  const errors: ParseError[] = [];
  const context: ParseContext = {
    fail: (path, message, facts) => errors.push({ path: formatPath(path), message, ...facts }),
    message: (type, value, path) => parseAs(type, value, path, context),
  };
  const message = parseAs(messageType(name), input, undefined, context);
  return { message, errors };
}

function parseAs(type: MessageType, input: unknown, path: Path | undefined, context: ParseContext): unknown {
  const parser = wellKnownParser(type.name);
  return parser ? parser(input, path, context) : parseFields(type, input, path, context);
}

function parseFields(type: MessageType, input: unknown, path: Path | undefined, context: ParseContext): Members {
  const message: Members = {};
  if (!isRawMessage(input)) {
    context.fail(path, `${describe(input)} is not a ${type.name}`);
    return message;
  }
  const oneofs = new Map<string, string>();
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || key === '@type') continue;
    const at: Path = { outer: path, step: key };
    const field = type.byJson.get(key) ?? type.byName.get(key);
    if (!field) {
      context.fail(at, unknownField(type, key), { unknownField: true });
      continue;
    }
    if (value === null && !takesNull(field)) continue;
    if (message[field.json] !== undefined) context.fail(at, `${field.json} is given twice`);
    if (field.oneof !== undefined) {
      const other = oneofs.get(field.oneof);
      if (other) context.fail(at, `only one of ${other} and ${field.json} may be set`);
      oneofs.set(field.oneof, field.json);
    }
    const parsed = parseField(field, value, at, context);
    if (parsed !== undefined) message[field.json] = parsed;
  }
  if (input[unknownFields]) message[unknownFields] = input[unknownFields];
  return message;
}

function unknownField(type: MessageType, key: string): string {
  const suggestion = nearest(key, type.byJson.keys());
  return `${type.name} has no such field${suggestion ? `; did you mean ${suggestion}?` : ''}`;
}

/** null means absent, save where it is a value. */
function takesNull({ value, cardinality }: Field): boolean {
  if (cardinality !== 'singular' || value.kind === 'scalar') return false;
  return value.kind === 'enum' ? value.enum().name === NULL_VALUE : value.message().name === 'google.protobuf.Value';
}

/** The canonical value, or undefined where that isn't written. */
function parseField(field: Field, input: unknown, path: Path, context: ParseContext): unknown {
  switch (field.cardinality) {
    case 'repeated':
      return parseList(field, input, path, context);
    case 'map':
      return parseMap(field, input, path, context);
    case 'singular': {
      const value = parseValue(field.value, input, path, context);
      return !field.presence && value === defaultOf(field.value) ? undefined : value;
    }
  }
}

function parseList({ value }: Field, input: unknown, path: Path, context: ParseContext): unknown {
  if (!Array.isArray(input)) {
    context.fail(path, `${describe(input)} is not a list`);
    return undefined;
  }
  if (input.length === 0) return undefined;
  return input.map((element: unknown, i) => parseValue(value, element, { outer: path, step: i }, context));
}

function parseMap({ key, value }: Field, input: unknown, path: Path, context: ParseContext): unknown {
  if (!isRawMessage(input)) {
    context.fail(path, `${describe(input)} is not a map`);
    return undefined;
  }
  const map: Members = {};
  for (const [name, element] of Object.entries(input)) {
    const at: Path = { outer: path, step: name };
    const parsedKey = key === 'bool' ? { value: name } : parseScalar(key, name);
    if ('error' in parsedKey || (key === 'bool' && name !== 'true' && name !== 'false')) {
      context.fail(at, `the key is not a ${key}`);
    } else setMember(map, String(parsedKey.value), parseValue(value, element, at, context));
  }
  return Object.keys(map).length > 0 ? map : undefined;
}

function parseValue(type: ValueType, input: unknown, path: Path, context: ParseContext): unknown {
  if (type.kind === 'message') return parseAs(type.message(), input, path, context);
  const parsed = type.kind === 'enum' ? parseEnum(type.enum(), input) : parseScalar(type.scalar, input);
  if ('value' in parsed) return parsed.value;
  context.fail(path, parsed.error);
  return undefined;
}
