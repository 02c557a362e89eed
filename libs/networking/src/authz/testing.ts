import { query } from '@kedge/incremental';
import type { Policy, RBAC } from '@kedge/envoy-api';
import type { Diagnostic } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { proxyOf } from '../testing/mesh.ts';
import { authorizationDiagnostics, authorizationFilters, customAuthorizationFilters } from './authorization.ts';
import type { Layer, PolicyFilter } from './layer.ts';

/* Policies in tests: short manifests, and the filters that a proxy labelled `app: cart` in namespace `shop` gets. */

export const cart = proxyOf('cart', { metadata: { LABELS: { app: 'cart' } } });

export interface PolicyOptions {
  readonly namespace?: string;
  readonly action?: string;
  /** Rules in flow style; without them the policy has none. */
  readonly rules?: string;
  /** Further fields of the spec in flow style, such as `selector: {...}`. */
  readonly rest?: string;
  readonly dryRun?: string;
  readonly created?: string;
}

export function policy(name: string, options: PolicyOptions = {}): string {
  const { namespace = 'shop', action = 'ALLOW', rules, rest, dryRun, created } = options;
  const annotations = dryRun === undefined ? '' : `, annotations: {istio.io/dry-run: "${dryRun}"}`;
  const creation = created === undefined ? '' : `, creationTimestamp: "${created}"`;
  return `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: ${namespace}${annotations}${creation}}
spec: {action: ${action}${rules === undefined ? '' : `, rules: ${rules}`}${rest === undefined ? '' : `, ${rest}`}}
---`;
}

const local = query('testedAuthorization', (read, layer: Layer) => authorizationFilters(read, layer));
const custom = query('testedCustomAuthorization', (read, layer: Layer) => customAuthorizationFilters(read, layer));

export const filtersOf = (push: PushContext, layer: Layer = 'http', proxy = cart): readonly PolicyFilter[] =>
  push.evaluate(proxy, local, layer);

export const customFiltersOf = (push: PushContext, layer: Layer = 'http', proxy = cart): readonly PolicyFilter[] =>
  push.evaluate(proxy, custom, layer);

/** The configuration of an RBAC filter. */
export interface Rbac {
  readonly rules?: RBAC;
  readonly shadowRules?: RBAC;
  readonly shadowRulesStatPrefix?: string;
}

export const rbacOf = (filter: PolicyFilter | undefined): Rbac => (filter?.typedConfig ?? {}) as unknown as Rbac;

/** The rules that are enforced, by name, without `ns[shop]-` before it. */
export function enforced(filter: PolicyFilter | undefined): Readonly<Record<string, Policy>> {
  const { policies = {} } = rbacOf(filter).rules ?? {};
  return Object.fromEntries(Object.entries(policies).map(([name, rule]) => [name.replace('ns[shop]-', ''), rule]));
}

export function findings(push: PushContext, proxy = cart): readonly string[] {
  const shown = ({ severity, code, namespace, name, field }: Diagnostic): string =>
    `${severity} ${code} ${namespace}/${name} ${field}`;
  return push.evaluate(proxy, authorizationDiagnostics).map(shown);
}
