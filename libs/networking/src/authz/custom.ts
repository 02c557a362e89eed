import type { MeshRead } from '@kedge/config';
import type { MetadataMatcher, RBAC } from '@kedge/envoy-api';
import type { ConfigOf, Diagnostic } from '@kedge/model';
import { features } from '@kedge/pushcontext';
import { authorizerOf, type AuthorizerProblem } from './authorizer.ts';
import type { Authorizer } from './ext-authz.ts';
import { type Layer, type PolicyFilter, RBAC_FILTERS, rbacFilter } from './layer.ts';
import { metadataMatcher } from './metadata-matcher.ts';
import { finding, isDryRun, RBAC_ACTIONS, type RuleSetInput, type RuleSets, ruleSets } from './rbac.ts';

type AuthorizationPolicy = ConfigOf<'AuthorizationPolicy'>;

/** Filters, and what had to be left out of them. */
export interface PolicyFilters {
  readonly filters: readonly PolicyFilter[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Begins the names under which the first filter of an authorizer tells the second which rule it found. */
const CASE = 'istio-ext-authz';
const STATS = 'istio_ext_authz_';
const NOT_ASKED = '-deny-due-to-bad-CUSTOM-action';

/** An authorizer with the policies that are for it. */
interface Group {
  readonly name: string;
  readonly policies: readonly AuthorizationPolicy[];
  readonly rules: RuleSets;
  readonly authorizer: Authorizer | AuthorizerProblem;
}

/**
 * The filters for policies with action CUSTOM: for each authorizer a pair, of which the first finds out by the rules whether
 * something is a case for the authorizer, and the second asks it. Where it can't be asked, its cases are denied.
 * https://istio.io/latest/docs/tasks/security/authorization/authz-custom/
 */
export function customFilters(
  read: MeshRead,
  policies: readonly AuthorizationPolicy[],
  input: Omit<RuleSetInput, 'action' | 'prefix'>,
): PolicyFilters {
  const byName = Map.groupBy(policies, ({ spec }) => spec.provider?.name ?? '');
  const names = [...byName.keys()].sort();
  const tooMany = names.length > 1 && !features(read).multipleCustomAuthorizers;
  const groups = names.map((name): Group => {
    const own = byName.get(name) ?? [];
    const prefix = name ? `${CASE}-${name}-` : `${CASE}-`;
    const problem = `one workload can't have several external authorizers (here: ${names.join(', ')}) unless PILOT_ENABLE_MULTIPLE_CUSTOM_AUTHZ_PROVIDERS is set`;
    return {
      name,
      policies: own,
      rules: ruleSets(own, { ...input, action: 'CUSTOM', prefix }),
      authorizer: tooMany ? { problem } : authorizerOf(read, name),
    };
  });
  return {
    filters: groups.flatMap((group) => groupFilters(group, input.layer)),
    diagnostics: groups.flatMap(groupDiagnostics),
  };
}

const NOTHING: RBAC = { action: RBAC_ACTIONS.CUSTOM };

function groupFilters({ name, rules, authorizer }: Group, layer: Layer): readonly PolicyFilter[] {
  const { enforced = NOTHING, dryRun } = rules;
  if ('problem' in authorizer) return [rbacFilter(layer, { rules: denied(enforced) })];
  const asks = authorizer[layer];
  if (!asks) return [];
  return [
    rbacFilter(layer, {
      ...(dryRun && Object.keys(dryRun.policies ?? {}).length > 0 ? { rules: dryRun } : {}),
      shadowRules: enforced,
      shadowRulesStatPrefix: STATS,
    }),
    asks(isCase(name, layer)),
  ];
}

/** The same rules under names that tell why they deny. */
function denied({ policies = {}, ...rules }: RBAC): RBAC {
  return {
    ...rules,
    policies: Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name + NOT_ASKED, policy])),
  };
}

function isCase(name: string, layer: Layer): MetadataMatcher {
  const found = { stringMatch: { prefix: `${CASE}-${name}` } };
  return metadataMatcher(RBAC_FILTERS[layer], [`${STATS}shadow_effective_policy_id`], found);
}

function groupDiagnostics({ policies, rules, authorizer }: Group): readonly Diagnostic[] {
  const problem = 'problem' in authorizer ? authorizer.problem : undefined;
  return [
    ...rules.diagnostics,
    ...policies.flatMap((policy) => [
      ...(problem === undefined
        ? []
        : [finding(policy, 'error', 'unusable-authorizer', 'spec.provider', `what it matches is denied: ${problem}`)]),
      ...(isDryRun(policy)
        ? [finding(policy, 'warning', 'unsupported-dry-run', 'metadata.annotations', DRY_RUN_DENIES)]
        : []),
    ]),
  ];
}

const DRY_RUN_DENIES = 'action CUSTOM has no dry run: what the policy matches is denied';
