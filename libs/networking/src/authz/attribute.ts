import type { Logic } from './logic.ts';

/** What the test of an attribute may depend on beside its values. */
export interface AttributeContext {
  /** The namespace of the policy. */
  readonly namespace: string;
  /** The mesh's own trust domain, then its aliases. */
  readonly trustDomains: readonly string[];
  /** Whether the identity of the peer is read from its certificate, or from what another listener found out. */
  readonly identity: 'certificate' | 'filter-state';
  /** The text in the brackets of `request.headers[x]` and its like, or what follows the name where there are none. */
  readonly path: string;
}

interface Common {
  /** Whether it is known of requests only, not of connections. */
  readonly httpOnly?: true;
  /** What the values stand for. */
  readonly expand?: (values: readonly string[], context: AttributeContext) => readonly string[];
}

/** Each value is a test of its own, one of which must hold. Undefined for a value that can't be tested. */
interface TestedByValue<T> extends Common {
  readonly each: (value: string, context: AttributeContext) => T | undefined;
}

/** One test sees to all values. */
interface TestedAtOnce<T> extends Common {
  readonly all: (values: readonly string[], context: AttributeContext) => T | undefined;
}

/** One row of a table of attributes. */
export type Attribute<T> = TestedByValue<T> | TestedAtOnce<T>;

/** An attribute that a message of the API has a field for, and another for what it must not be. */
export interface FieldRow<F extends string, T> {
  readonly field: F;
  readonly negation: F;
  readonly attribute: Attribute<T>;
}

/** An attribute with what it must and must not be. */
export interface Demand<T> {
  readonly attribute: Attribute<T>;
  readonly path: string;
  readonly values: readonly string[];
  readonly notValues: readonly string[];
}

/** Whether any of the values holds, as one test; undefined where no value can be tested. */
interface Outcome<T> {
  readonly test?: T;
  /** Whether each value could be tested. */
  readonly complete: boolean;
}

const NOTHING = { complete: true } as const;

function holdsAny<T>(
  logic: Logic<T>,
  attribute: Attribute<T>,
  stated: readonly string[],
  context: AttributeContext,
): Outcome<T> {
  if (stated.length === 0) return NOTHING;
  const values = attribute.expand?.(stated, context) ?? stated;
  if ('all' in attribute) {
    const test = attribute.all(values, context);
    return test === undefined ? { complete: false } : { test, complete: true };
  }
  const tests = values.map((value) => attribute.each(value, context)).filter((test) => test !== undefined);
  return { ...(tests.length > 0 ? { test: logic.or(tests) } : {}), complete: tests.length === values.length };
}

/** What demands come to. */
export interface Demanded<T> {
  readonly test: T;
  /** Whether all that is demanded is in the test. */
  readonly complete: boolean;
}

/** All demands as one test. What can't be tested, be it that there are no requests to look at, is left out of it. */
export function allHold<T>(
  logic: Logic<T>,
  demands: readonly Demand<T>[],
  base: Omit<AttributeContext, 'path'>,
  layer: 'http' | 'tcp',
): Demanded<T> {
  const tests: T[] = [];
  let complete = true;
  for (const { attribute, path, values, notValues } of demands) {
    if (attribute.httpOnly && layer === 'tcp') {
      complete = false;
      continue;
    }
    const context = { ...base, path };
    const wanted = holdsAny(logic, attribute, values, context);
    const unwanted = holdsAny(logic, attribute, notValues, context);
    if (wanted.test !== undefined) tests.push(wanted.test);
    if (unwanted.test !== undefined) tests.push(logic.not(unwanted.test));
    complete &&= wanted.complete && unwanted.complete;
  }
  return { test: logic.and(tests.length > 0 ? tests : [logic.any]), complete };
}
