import type { z } from 'zod';
import type { FieldPath } from './field-path.ts';
import { isJsonObject } from './json.ts';
import { type Schema, fieldName, schemaFacts } from './message.ts';
import { nearest } from './nearest.ts';

/** What is wrong at a place of a value; becomes a diagnostic once the object is known. */
export interface Finding {
  readonly code: string;
  readonly path: FieldPath;
  readonly message: string;
}

export interface SchemaResult<T> {
  /** Absent when there are findings. */
  readonly value?: T;
  readonly findings: readonly Finding[];
  /** Fields that the schema does not know. They are not in the value, and they do not keep it from being made. */
  readonly unknown: readonly Finding[];
}

/** Reads a value by a schema. Never throws. */
export function readSchema<T>(schema: Schema<T>, value: unknown): SchemaResult<T> {
  const unknown: Finding[] = [];
  collectUnknownFields(schema, value, [], unknown);
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { value: result.data, findings: [], unknown };
  return { findings: result.error.issues.map(toFinding), unknown };
}

function collectUnknownFields(schema: z.ZodType, value: unknown, path: FieldPath, found: Finding[]): void {
  const { shape, element } = schemaFacts(schema);
  if (element !== undefined) {
    if (Array.isArray(value)) value.forEach((item, i) => collectUnknownFields(element, item, [...path, i], found));
    else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) collectUnknownFields(element, item, [...path, key], found);
    }
  } else if (shape !== undefined && isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const name = fieldName(key, shape);
      const field = name === undefined ? undefined : shape[name];
      if (name === undefined || field === undefined) found.push(unknownField(path, key, Object.keys(shape)));
      else collectUnknownFields(field, item, [...path, name], found);
    }
  }
}

/** The finding for a key that no field has. */
export function unknownField(path: FieldPath, key: string, known: readonly string[]): Finding {
  const suggestion = nearest(key, known);
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
  return { code: 'unknown-field', path: [...path, key], message: `unknown field "${key}"${hint}` };
}

function toFinding(issue: z.core.$ZodIssue): Finding {
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  const finding = (code: string, message: string): Finding => ({ code, path, message });
  switch (issue.code) {
    case 'invalid_type':
      return finding('wrong-type', `must be ${describeType(issue.expected)}, not ${describe(issue.input)}`);
    case 'invalid_value':
      if (typeof issue.input !== 'string' && typeof issue.input !== 'number') {
        return finding('wrong-type', `must be one of ${issue.values.join(', ')}, not ${describe(issue.input)}`);
      }
      return finding('unknown-enum-value', `${JSON.stringify(issue.input)} is none of ${issue.values.join(', ')}`);
    case 'too_small':
      return finding('out-of-range', `must be at least ${issue.minimum}`);
    case 'too_big':
      return finding('out-of-range', `must be at most ${issue.maximum}`);
    case 'custom':
      return finding(typeof issue.params?.rule === 'string' ? issue.params.rule : 'invalid-value', issue.message);
    default:
      return finding('invalid-value', issue.message);
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

function describeType(expected: string): string {
  return TYPE_NAMES[expected] ?? expected;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return value === undefined ? 'absent' : JSON.stringify(value);
}
