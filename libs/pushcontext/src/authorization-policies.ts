import { istioSources, type MeshRead, objectKey } from '@kedge/config';
import { derivedFact, query } from '@kedge/incremental';
import type { AuthorizationPolicyAction, ConfigOf } from '@kedge/model';
import { sameMembers } from './equality.ts';
import { discovered } from './discovered.ts';
import { keyedObjects } from './keyed-objects.ts';
import { rootNamespace } from './mesh.ts';
import { isAttached } from './policy-attachment.ts';
import { configNamespace } from './proxy-facts.ts';

type Policy = ConfigOf<'AuthorizationPolicy'>;

/** The policies of a namespace with an action. Their order means nothing, so it is that of their names. */
const policiesOf = query(
  'authorizationPoliciesOf',
  (read: MeshRead, namespace: string, action: AuthorizationPolicyAction): readonly Policy[] =>
    discovered(read, 'AuthorizationPolicy', namespace).filter(({ spec }) => (spec.action ?? 'ALLOW') === action),
  sameMembers,
);

/**
 * The keys of the policies with an action that are for the proxy, sorted and separated by commas: as a text, for proxies with
 * the same policies share what follows from them.
 */
export const authorizationPolicyKeys = derivedFact(
  'authorizationPolicyKeys',
  (read: MeshRead, action: AuthorizationPolicyAction): string => {
    const places = new Set([rootNamespace(read), read.fact(configNamespace)]);
    return [...places]
      .flatMap((place) => read(policiesOf, place, action))
      .filter((policy) => isAttached(read, policy))
      .map(({ namespace, name }) => objectKey(namespace, name))
      .sort()
      .join(',');
  },
);

/** The policies that keys stand for. */
export function authorizationPolicies(read: MeshRead, keys: string): readonly Policy[] {
  return keyedObjects(read, istioSources.AuthorizationPolicy, keys);
}
