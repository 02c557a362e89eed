import type { Permission, Policy, Principal } from '@kedge/envoy-api';
import type { AuthorizationCondition, AuthorizationRule } from '@kedge/model';
import {
  allHold,
  type Attribute,
  type AttributeContext,
  type Demand,
  type Demanded,
  type FieldRow,
} from './attribute.ts';
import { type Logic, permissionLogic, principalLogic } from './logic.ts';
import { OPERATION_FIELDS, PERMISSION_CONDITIONS, PERMISSION_CONDITIONS_BY_PREFIX } from './permissions.ts';
import { PRINCIPAL_CONDITIONS, PRINCIPAL_CONDITIONS_BY_PREFIX, SOURCE_FIELDS } from './principals.ts';

export interface RuleContext extends Omit<AttributeContext, 'path'> {
  readonly layer: 'http' | 'tcp';
}

/** What a rule comes to. */
export interface TranslatedRule {
  readonly policy: Policy;
  /** Whether the policy asks for all that the rule does. If not, it matches more than the rule. */
  readonly complete: boolean;
}

/** A rule with conditions that nothing is known of. */
export interface UnknownAttribute {
  /** Which of the conditions it is. */
  readonly at: number;
}

/**
 * A rule as Envoy has it: permissions for what is done and principals for who does it, one each for every operation and source.
 * Conditions join whichever side they are about.
 */
export function translateRule(
  { from, to, when }: AuthorizationRule,
  context: RuleContext,
): TranslatedRule | UnknownAttribute {
  const permissions: Demand<Permission>[] = [];
  const principals: Demand<Principal>[] = [];
  for (const [at, condition] of when.entries()) {
    const permission = demandOf(condition, PERMISSION_CONDITIONS, PERMISSION_CONDITIONS_BY_PREFIX);
    const principal = demandOf(condition, PRINCIPAL_CONDITIONS, PRINCIPAL_CONDITIONS_BY_PREFIX);
    if (permission) permissions.push(permission);
    else if (principal) principals.push(principal);
    else return { at };
  }
  const what = alternatives(permissionLogic, to.map(({ operation }) => fieldDemands(operation, OPERATION_FIELDS)), permissions, context); // prettier-ignore
  const who = alternatives(principalLogic, from.map(({ source }) => fieldDemands(source, SOURCE_FIELDS)), principals, context); // prettier-ignore
  return {
    policy: { permissions: what.map(({ test }) => test), principals: who.map(({ test }) => test) },
    complete: [...what, ...who].every(({ complete }) => complete),
  };
}

/** Each alternative, or none, together with what is demanded of all. */
function alternatives<T>(
  logic: Logic<T>,
  stated: readonly (readonly Demand<T>[])[],
  always: readonly Demand<T>[],
  { layer, ...base }: RuleContext,
): readonly Demanded<T>[] {
  const all = stated.length > 0 ? stated : [[]];
  return all.map((demands) => allHold(logic, [...demands, ...always], base, layer));
}

/** What a source or an operation demands, by the table of its fields. */
function fieldDemands<F extends string, T>(
  lists: Readonly<Record<F, readonly string[]>> | undefined,
  rows: readonly FieldRow<F, T>[],
): readonly Demand<T>[] {
  if (!lists) return [];
  return rows
    .map(({ field, negation, attribute }) => ({
      attribute,
      path: '',
      values: lists[field],
      notValues: lists[negation],
    }))
    .filter(({ values, notValues }) => values.length + notValues.length > 0);
}

function demandOf<T>(
  { key, values, notValues }: AuthorizationCondition,
  table: Readonly<Record<string, Attribute<T>>>,
  byPrefix: Readonly<Record<string, Attribute<T>>>,
): Demand<T> | undefined {
  const exact = Object.hasOwn(table, key) ? table[key] : undefined;
  if (exact) return { attribute: exact, path: '', values, notValues };
  const [prefix, attribute] = Object.entries(byPrefix).find(([start]) => key.startsWith(start)) ?? [];
  return attribute && { attribute, path: key.slice(prefix?.length), values, notValues };
}
