import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { alike, authorizationPolicies, authorizationPolicyKeys, features, meshConfig } from '@kedge/pushcontext';
import type { AttributeContext } from './attribute.ts';
import { customFilters, type PolicyFilters } from './custom.ts';
import { foreignPrincipals } from './foreign-principals.ts';
import { type Layer, type PolicyFilter, rbacFilter } from './layer.ts';
import { ruleSets } from './rbac.ts';

/** Actions that Envoy takes by itself, in the order in which their filters come. */
const LOCAL_ACTIONS = ['AUDIT', 'DENY', 'ALLOW'] as const;
type LocalAction = (typeof LOCAL_ACTIONS)[number];

const NONE: PolicyFilters = { filters: [], diagnostics: [] };

function trustDomains(read: MeshRead): readonly string[] {
  const { trustDomain = '', trustDomainAliases } = meshConfig(read);
  return [trustDomain, ...trustDomainAliases];
}

/** Begins the names of statistics and metadata of rules that are tried out. */
const DRY_RUN_STATS: Readonly<Record<LocalAction, string>> = {
  ALLOW: 'istio_dry_run_allow_',
  DENY: 'istio_dry_run_deny_',
  AUDIT: '',
};

/** The one filter for all policies of an action, by the keys of the policies. */
const localFilter = query(
  'authorizationFilter',
  (read: MeshRead, action: LocalAction, layer: Layer, identity: AttributeContext['identity'], keys: string) => {
    const policies = authorizationPolicies(read, keys);
    const domains = trustDomains(read);
    const { enforced, dryRun, diagnostics } = ruleSets(policies, { action, layer, identity, trustDomains: domains });
    const filter = rbacFilter(layer, {
      ...(enforced ? { rules: enforced } : {}),
      ...(dryRun ? { shadowRules: dryRun } : {}),
      shadowRulesStatPrefix: DRY_RUN_STATS[dryRun ? action : 'ALLOW'],
    });
    const foreign = features(read).skipTrustDomainValidation ? [] : policies.flatMap((policy) => foreignPrincipals(policy, domains)); // prettier-ignore
    return { filters: [filter], diagnostics: [...diagnostics, ...foreign] };
  },
  alike,
);

function localFilters(read: MeshRead, layer: Layer, identity: AttributeContext['identity']): readonly PolicyFilters[] {
  return LOCAL_ACTIONS.map((action) => {
    const keys = read(authorizationPolicyKeys, action);
    return keys === '' ? NONE : read(localFilter, action, layer, identity, keys);
  });
}

/** The filters of policies that are for the proxy, except those that ask an external authorizer. */
export function authorizationFilters(
  read: MeshRead,
  layer: Layer,
  identity: AttributeContext['identity'] = 'certificate',
): readonly PolicyFilter[] {
  return localFilters(read, layer, identity).flatMap(({ filters }) => filters);
}

const custom = query(
  'customAuthorizationFilters',
  (read: MeshRead, layer: Layer, identity: AttributeContext['identity'], keys: string): PolicyFilters =>
    customFilters(read, authorizationPolicies(read, keys), { layer, identity, trustDomains: trustDomains(read) }),
  alike,
);

function customOf(read: MeshRead, layer: Layer, identity: AttributeContext['identity']): PolicyFilters {
  const keys = read(authorizationPolicyKeys, 'CUSTOM');
  return keys === '' ? NONE : read(custom, layer, identity, keys);
}

/** The filters of policies that ask an external authorizer. They come before all others. */
export function customAuthorizationFilters(
  read: MeshRead,
  layer: Layer,
  identity: AttributeContext['identity'] = 'certificate',
): readonly PolicyFilter[] {
  return customOf(read, layer, identity).filters;
}

/** What had to be left out of the proxy's authorization, and why. Requests tell of all that connections would. */
export const authorizationDiagnostics = query(
  'authorizationDiagnostics',
  (read: MeshRead): readonly Diagnostic[] =>
    [customOf(read, 'http', 'certificate'), ...localFilters(read, 'http', 'certificate')].flatMap(
      ({ diagnostics }) => diagnostics,
    ),
  alike,
);
