import { isJsonObject, type Json, nearest } from '@kedge/model';

/**
 * The type of a field: a name of a message, `bool`, `string`, `int`, `number`, `intOrString`, `quantity`, `stringMap`, `quantityMap`,
 * `struct` (any object), `any`, names of an enum between bars; `[]` after it for a list.
 */
type FieldType = string;

/** Fields of a message by name. */
type Message = Readonly<Record<string, FieldType>>;
export type Messages = Readonly<Record<string, Message>>;

/** A message, its fields grouped by type: names are parted by blanks. */
export const message = (fields: Readonly<Record<FieldType, string>>): Message =>
  Object.fromEntries(Object.entries(fields).flatMap(([type, names]) => names.split(' ').map((name) => [name, type])));

/** Something that a value must not be or have. */
export interface SchemaFinding {
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** The message that the field is of. */
  readonly message: string;
  readonly isUnknown: boolean;
}

/** What is wrong with a value of a message: fields that there are none of, and types. null is nothing. */
export function checkMessage(
  messages: Messages,
  name: string,
  value: Json | undefined,
  path: readonly (string | number)[] = [],
): readonly SchemaFinding[] {
  const fields = messages[name]!;
  if (value === undefined || value === null) return [];
  if (!isJsonObject(value)) return [wrongType(name, path, 'an object', value)];
  return Object.entries(value).flatMap(([key, item]) => {
    const type = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (type === undefined) return [unknownField(name, [...path, key], key, Object.keys(fields))];
    return checkField(messages, name, type, item, [...path, key]);
  });
}

function unknownField(
  message: string,
  path: SchemaFinding['path'],
  key: string,
  known: readonly string[],
): SchemaFinding {
  const suggestion = nearest(key, known);
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
  return { path, message, isUnknown: true, text: `unknown field "${key}"${hint}` };
}

function checkField(
  messages: Messages,
  owner: string,
  type: FieldType,
  value: Json,
  path: SchemaFinding['path'],
): readonly SchemaFinding[] {
  if (value === null) return [];
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [wrongType(owner, path, 'a list', value)];
    return value.flatMap((item: Json, index) => checkField(messages, owner, type.slice(0, -2), item, [...path, index]));
  }
  if (type in messages) return checkMessage(messages, type, value, path);
  if (type.includes('|')) {
    const names = type.split('|');
    return typeof value === 'string' && names.includes(value)
      ? []
      : [wrongType(owner, path, `one of ${names.join(', ')}`, value)];
  }
  const simple = SIMPLE[type]!;
  return simple.accepts(value) ? [] : [wrongType(owner, path, simple.description, value)];
}

interface SimpleType {
  readonly description: string;
  readonly accepts: (value: Json) => boolean;
}

const isText = (value: Json): boolean => typeof value === 'string';
const isWhole = (value: Json): boolean => Number.isInteger(value);
const isWholeText = (value: Json): boolean => typeof value === 'string' && /^-?\d+$/.test(value);
const mapOf =
  (accepts: (value: Json) => boolean) =>
  (value: Json): boolean =>
    isJsonObject(value) && Object.values(value).every((item) => item === null || accepts(item));

const SIMPLE: Readonly<Record<string, SimpleType>> = {
  any: { description: 'anything', accepts: () => true },
  bool: { description: 'true or false', accepts: (value) => typeof value === 'boolean' },
  string: { description: 'a string', accepts: isText },
  int: { description: 'a whole number', accepts: (value) => isWhole(value) || isWholeText(value) },
  number: { description: 'a number', accepts: (value) => typeof value === 'number' },
  intOrString: { description: 'a whole number or a string', accepts: (value) => isWhole(value) || isText(value) },
  quantity: { description: 'a quantity', accepts: (value) => typeof value === 'number' || isText(value) },
  struct: { description: 'an object', accepts: isJsonObject },
  stringMap: { description: 'an object with strings', accepts: mapOf(isText) },
  quantityMap: {
    description: 'an object with quantities',
    accepts: mapOf((value) => typeof value === 'number' || isText(value)),
  },
};

function wrongType(message: string, path: SchemaFinding['path'], expected: string, value: Json): SchemaFinding {
  const found = Array.isArray(value) ? 'a list' : isJsonObject(value) ? 'an object' : JSON.stringify(value);
  return { path, message, isUnknown: false, text: `must be ${expected}, not ${found}` };
}
