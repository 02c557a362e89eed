import { isDefaultScalar } from '../codec/scalar-writers.ts';
import type { JsonObject } from '../json.ts';
import { isRawMessage } from '../message.ts';
import type { RawMessage } from '../message.ts';
import { formatPath } from '../path.ts';
import type { Path } from '../path.ts';
import { messageType, typeOfUrl } from '../registry.ts';
import { defaultOf } from '../schema.ts';
import type { EnumType, Field, MessageType, ValueType } from '../schema.ts';
import { isWellKnown, WRAPPERS } from '../well-known.ts';
import { valueRules } from './rules.ts';
import type { Rule } from './rules.ts';

export interface Violation {
  /** Place of the value, such as `filterChains[0].filters[1].name`. */
  readonly path: string;
  /** The rule as the .proto names it, such as `string.min_len`; `required` for a oneof. */
  readonly rule: string;
  readonly message: string;
}

/** By message type, what is wrong with a message of it; each path is a member, or empty for the message itself. */
type FurtherRules = Readonly<Record<string, ((message: never) => readonly Omit<Violation, 'rule'>[]) | undefined>>;

interface Report {
  (path: Path | undefined, rule: string, message: string): void;
  readonly further: FurtherRules;
}
type Validator = (value: unknown, path: Path | undefined, report: Report) => void;
type MemberValidator = (message: RawMessage, path: Path | undefined, report: Report) => void;

/** Checks a canonical message against the rules of its type; see `validate` in index.ts. */
export function validateMessage(name: string, message: unknown, further: FurtherRules = {}): readonly Violation[] {
  const violations: Violation[] = [];
  const report = (path: Path | undefined, rule: string, text: string): void => {
    violations.push({ path: formatPath(path), rule, message: text });
  };
  validatorOf(messageType(name))(message, undefined, Object.assign(report, { further }));
  return violations;
}

const validators = new Map<MessageType, Validator>();

function validatorOf(type: MessageType): Validator {
  let validator = validators.get(type);
  if (!validator) {
    validator = type.name === 'google.protobuf.Any' ? validateAny : compile(type);
    validators.set(type, validator);
  }
  return validator;
}

const validateAny: Validator = (any, path, report) => {
  if (!isRawMessage(any)) return;
  const type = typeOfUrl(String(any['@type']));
  if (type && !isWellKnown(type.name)) validatorOf(type)(any, path, report);
};

function compile(type: MessageType): Validator {
  // What stands in JSON for a well-known message has no members.
  const members = isWellKnown(type.name) ? [] : memberValidators(type);
  return (value, path, report) => {
    for (const validateMember of members) validateMember(value as RawMessage, path, report);
    const further = report.further[type.name];
    if (!further) return;
    for (const { path: step, message } of further(value as never))
      report(step === '' ? path : { outer: path, step }, 'further', message);
  };
}

function memberValidators(type: MessageType): readonly MemberValidator[] {
  return [
    ...type.fields.map(memberValidator).filter((member) => member !== undefined),
    ...type.oneofs
      .filter((oneof) => oneof.required)
      .map(({ name, fields }): MemberValidator => {
        const choices = fields.map((f) => f.json).join(', ');
        return (message, path, report) => {
          if (fields.some((f) => message[f.json] !== undefined)) return;
          report({ outer: path, step: name }, 'required', `one of ${choices} must be set`);
        };
      }),
  ];
}

/** Undefined where nothing can be wrong. */
function memberValidator(field: Field): MemberValidator | undefined {
  const check = fieldValidator(field, field.rules ?? {});
  // A member of a oneof that isn't chosen cannot be missing.
  const required = field.oneof === undefined ? requiredBy(field.rules ?? {}) : undefined;
  if (!check && !required) return undefined;
  const absent = field.presence
    ? undefined
    : field.cardinality === 'singular'
      ? defaultOf(field.value)
      : EMPTY[field.cardinality];
  return (message, path, report) => {
    const value = message[field.json] ?? absent;
    if (value !== undefined) check?.(value, { outer: path, step: field.json }, report);
    else if (required) report({ outer: path, step: field.json }, required, 'must be set');
  };
}

const EMPTY = { repeated: [], map: {} } as const;

/** The name of the rule that requires a member, if one does. */
function requiredBy(rules: JsonObject): string | undefined {
  return ['message', 'duration', 'timestamp', 'any']
    .filter((kind) => member(rules, kind)?.['required'] === true)
    .map((kind) => `${kind}.required`)[0];
}

function fieldValidator(field: Field, rules: JsonObject): Validator | undefined {
  switch (field.cardinality) {
    case 'repeated':
      return listValidator(field, member(rules, 'repeated') ?? {});
    case 'map':
      return mapValidator(field, member(rules, 'map') ?? {});
    case 'singular':
      return valueValidator(field.value, rules);
  }
}

function listValidator({ value }: Field, { items, unique, ignoreEmpty, ...rules }: JsonObject): Validator | undefined {
  const checks = rulesValidator(valueRules('repeated', rules));
  const element = valueValidator(value, (items ?? {}) as JsonObject);
  if (!checks && !element && !unique) return undefined;
  return (list, path, report) => {
    const elements = list as readonly unknown[];
    if (ignoreEmpty === true && elements.length === 0) return;
    checks?.(elements, path, report);
    if (unique === true && new Set(elements.map((e) => JSON.stringify(e))).size < elements.length) {
      report(path, 'repeated.unique', 'must not have equal items');
    }
    if (element) elements.forEach((e, i) => element(e, { outer: path, step: i }, report));
  };
}

function mapValidator(
  { key, value }: Field,
  { keys, values, ignoreEmpty, ...rules }: JsonObject,
): Validator | undefined {
  const checks = rulesValidator(valueRules('map', rules));
  const keyCheck = valueValidator({ kind: 'scalar', scalar: key }, (keys ?? {}) as JsonObject);
  const valueCheck = valueValidator(value, (values ?? {}) as JsonObject);
  if (!checks && !keyCheck && !valueCheck) return undefined;
  return (map, path, report) => {
    const entries = Object.entries(map as RawMessage);
    if (ignoreEmpty === true && entries.length === 0) return;
    checks?.(map, path, report);
    for (const [name, entry] of entries) {
      const at: Path = { outer: path, step: name };
      keyCheck?.(name, at, report);
      valueCheck?.(entry, at, report);
    }
  };
}

/** The rules of one value, and what nested messages ask. */
function valueValidator(type: ValueType, rules: JsonObject): Validator | undefined {
  const [kind, own] = Object.entries(rules).find(([name]) => name !== 'message') ?? [];
  const checks = kind === undefined ? undefined : ownRules(type, kind, own as JsonObject);
  if (type.kind !== 'message' || member(rules, 'message')?.['skip'] === true) return checks;
  const nested = nestedValidator(type.message);
  if (!checks) return nested;
  return (value, path, report) => {
    checks(value, path, report);
    nested(value, path, report);
  };
}

function nestedValidator(type: () => MessageType): Validator {
  let validator: Validator | undefined;
  return (value, path, report) => {
    validator ??= validatorOf(type());
    validator(value, path, report);
  };
}

function ownRules(type: ValueType, kind: string, rules: JsonObject): Validator | undefined {
  if (kind === 'enum' && type.kind === 'enum') return enumValidator(type.enum, rules);
  const checks = rulesValidator(valueRules(kind, rules));
  const ignoreEmpty = rules['ignoreEmpty'] === true;
  if (!checks || !ignoreEmpty) return checks;
  const scalar =
    type.kind === 'scalar' ? type.scalar : type.kind === 'message' ? WRAPPERS.get(type.message().name) : undefined;
  return (value, path, report) => {
    if (!scalar || !isDefaultScalar(value, scalar)) checks(value, path, report);
  };
}

function rulesValidator(rules: readonly Rule[]): Validator | undefined {
  if (rules.length === 0) return undefined;
  return (value, path, report) => {
    for (const { rule, check } of rules) {
      const message = check(value);
      if (message !== undefined) report(path, rule, message);
    }
  };
}

/** Rules about enums speak of numbers, messages hold names. */
function enumValidator(type: () => EnumType, rules: JsonObject): Validator {
  const { definedOnly, ...others } = rules;
  const checks = valueRules('int32', others);
  return (value, path, report) => {
    const number = typeof value === 'string' ? type().numbers.get(value) : (value as number);
    const isDefined = number !== undefined && type().names.has(number);
    if (definedOnly === true && !isDefined) report(path, 'enum.defined_only', `must be a value of ${type().name}`);
    for (const { rule, check } of checks) {
      const message = check(number);
      if (message !== undefined) report(path, rule.replace('int32.', 'enum.'), message);
    }
  };
}

function member(rules: JsonObject, kind: string): JsonObject | undefined {
  return rules[kind] as JsonObject | undefined;
}
