import { type Policy, type RBAC, validate } from '@kedge/envoy-api';
import type { AuthorizationPolicyAction, ConfigOf, Diagnostic, Severity } from '@kedge/model';
import { ENVOY_RULES } from '../envoy-rules/envoy-rules.ts';
import { permissionLogic, principalLogic } from './logic.ts';
import { type RuleContext, translateRule } from './rule.ts';

type AuthorizationPolicy = ConfigOf<'AuthorizationPolicy'>;
export type RbacAction = 'ALLOW' | 'DENY' | 'LOG';

/** What Envoy's filter does on a match. An external authorizer is asked where its policies would deny. */
export const RBAC_ACTIONS: Readonly<Record<AuthorizationPolicyAction, RbacAction>> = {
  ALLOW: 'ALLOW',
  DENY: 'DENY',
  AUDIT: 'LOG',
  CUSTOM: 'DENY',
};

/** Policies of one action, as one set of rules that is enforced and one that is only evaluated. */
export interface RuleSets {
  /** Absent where there are no policies to enforce, which is not the same as policies that match nothing. */
  readonly enforced?: RBAC;
  readonly dryRun?: RBAC;
  readonly diagnostics: readonly Diagnostic[];
}

export interface RuleSetInput extends Omit<RuleContext, 'namespace'> {
  readonly action: AuthorizationPolicyAction;
  /** Begins the names of rules. */
  readonly prefix?: string;
}

const MATCHES_NEVER: Policy = {
  permissions: [permissionLogic.not(permissionLogic.any)],
  principals: [principalLogic.not(principalLogic.any)],
};
const MATCHES_ALWAYS: Policy = { permissions: [permissionLogic.any], principals: [principalLogic.any] };

/** The rules of policies. Their order plays no part. */
export function ruleSets(policies: readonly AuthorizationPolicy[], input: RuleSetInput): RuleSets {
  const diagnostics: Diagnostic[] = [];
  const enforced: Record<string, Policy> = {};
  const dryRun: Record<string, Policy> = {};
  const [real, tried] = [policies.filter((policy) => !isDryRun(policy)), policies.filter(isDryRun)];
  for (const policy of real) Object.assign(enforced, rulesOf(policy, input, diagnostics));
  for (const policy of tried) Object.assign(dryRun, rulesOf(policy, input, diagnostics));
  const action = RBAC_ACTIONS[input.action];
  return {
    ...(real.length > 0 ? { enforced: { action, policies: enforced } } : {}),
    ...(tried.length > 0 ? { dryRun: { action, policies: dryRun } } : {}),
    diagnostics: [...diagnostics, ...policies.flatMap(dryRunProblem)],
  };
}

function rulesOf(
  policy: AuthorizationPolicy,
  { action, prefix = '', ...context }: RuleSetInput,
  diagnostics: Diagnostic[],
): Readonly<Record<string, Policy>> {
  const { namespace, name, spec } = policy;
  const ruleName = (at: number): string => `${prefix}ns[${namespace}]-policy[${name}]-rule[${at}]`;
  if (spec.rules.length === 0) return { [ruleName(0)]: MATCHES_NEVER };
  const rules: Record<string, Policy> = {};
  for (const [at, rule] of spec.rules.entries()) {
    const field = `spec.rules[${at}]`;
    const translated = translateRule(rule, { ...context, namespace });
    if ('at' in translated) {
      const message = 'the rule is left out: its condition is about an attribute that is not known';
      diagnostics.push(finding(policy, 'error', 'unknown-attribute', `${field}.when[${translated.at}].key`, message));
      continue;
    }
    // What cannot be tested must never let more through: permission shrinks, everything else grows.
    if (action === 'ALLOW' && !translated.complete) continue;
    const violations = validate('envoy.config.rbac.v3.Policy', translated.policy, ENVOY_RULES);
    if (violations.length === 0) {
      rules[ruleName(at)] = translated.policy;
      continue;
    }
    const places = violations.map((violation) => `${violation.path}: ${violation.message}`).join('; ');
    const instead = action === 'ALLOW' ? 'is left out' : 'matches everything';
    const message = `the rule ${instead}, for Envoy would refuse what it says: ${places}`;
    diagnostics.push(finding(policy, 'error', 'rejected-by-envoy-rules', field, message));
    if (action !== 'ALLOW') rules[ruleName(at)] = MATCHES_ALWAYS;
  }
  return rules;
}

export function finding(
  { kind, namespace, name }: AuthorizationPolicy,
  severity: Severity,
  code: string,
  field: string,
  message: string,
): Diagnostic {
  return { kind, namespace, name, severity, code, field, message };
}

/** Policies with this annotation are tried out: what they would have done is only counted. */
const DRY_RUN = 'istio.io/dry-run';
const TRUE = new Set(['1', 't', 'T', 'true', 'True', 'TRUE']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'False', 'FALSE']);

export function isDryRun({ annotations }: AuthorizationPolicy): boolean {
  return TRUE.has(annotations[DRY_RUN] ?? '');
}

function dryRunProblem(policy: AuthorizationPolicy): readonly Diagnostic[] {
  const stated = policy.annotations[DRY_RUN];
  if (stated === undefined || TRUE.has(stated) || FALSE.has(stated)) return [];
  const message = `"${stated}" is neither true nor false, so the policy is enforced`;
  return [finding(policy, 'warning', 'unreadable-annotation', `metadata.annotations[${DRY_RUN}]`, message)];
}
