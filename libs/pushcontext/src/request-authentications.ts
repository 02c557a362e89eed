import { istioSources, type MeshRead, objectKey } from '@kedge/config';
import { derivedFact, query } from '@kedge/incremental';
import type { ConfigOf, JWTRule, ObjectRef } from '@kedge/model';
import { sameMembers } from './equality.ts';
import { discovered } from './discovered.ts';
import { keyedObjects } from './keyed-objects.ts';
import { rootNamespace } from './mesh.ts';
import { isAttached } from './policy-attachment.ts';
import { compareAge, compareText } from './precedence.ts';
import { configNamespace } from './proxy-facts.ts';

type Policy = ConfigOf<'RequestAuthentication'>;

/** Policies of a namespace, the oldest first. */
const policiesOf = query(
  'requestAuthenticationsOf',
  (read: MeshRead, namespace: string): readonly Policy[] =>
    discovered(read, 'RequestAuthentication', namespace).toSorted(compareAge),
  sameMembers,
);

/**
 * The keys of the policies that are for the proxy, separated by commas: those of its namespace first, then those of the root
 * namespace, the oldest first.
 */
export const requestAuthenticationKeys = derivedFact('requestAuthenticationKeys', (read: MeshRead): string => {
  const places = new Set([read.fact(configNamespace), rootNamespace(read)]);
  return [...places]
    .flatMap((place) => read(policiesOf, place))
    .filter((policy) => isAttached(read, policy))
    .map(({ namespace, name }) => objectKey(namespace, name))
    .join(',');
});

/** A rule with its place. */
export interface PlacedJwtRule {
  readonly rule: JWTRule;
  readonly from: ObjectRef;
  readonly field: string;
}

/** The rules of the policies that keys stand for, by issuer. Several rules for an issuer stay apart, in the policies' order. */
export function jwtRules(read: MeshRead, keys: string): readonly PlacedJwtRule[] {
  return keyedObjects(read, istioSources.RequestAuthentication, keys)
    .flatMap(placedRules)
    .sort((a, b) => compareText(a.rule.issuer ?? '', b.rule.issuer ?? ''));
}

function placedRules({ kind, namespace, name, spec }: Policy): readonly PlacedJwtRule[] {
  return spec.jwtRules.map((rule, at) => ({ rule, from: { kind, namespace, name }, field: `spec.jwtRules[${at}]` }));
}
