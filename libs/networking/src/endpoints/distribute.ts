import { type LocalityDistribute, parseLocality } from '@kedge/model';
import type { LocalityGroup } from './locality-group.ts';

/**
 * Gives localities the shares of traffic that the first rule for the client's locality names. A share for several localities
 * is divided by their weights; localities that no share covers get nothing.
 */
export function distribute(
  groups: readonly LocalityGroup[],
  clientLocality: string,
  rules: readonly LocalityDistribute[],
): readonly LocalityGroup[] {
  const rule = rules.find(({ from = '' }) => covers(from, clientLocality));
  if (!rule) return groups;
  const shares = new Map<LocalityGroup, number | undefined>();
  for (const [to, share] of Object.entries(rule.to)) {
    const members = groups.filter((group) => !shares.has(group) && covers(to, group.locality));
    const total = members.reduce((sum, { weight = 1 }) => sum + weight, 0);
    for (const member of members) {
      const part = ((member.weight ?? 1) * share) / total;
      shares.set(member, part > 0 ? Math.ceil(part) : member.weight);
    }
  }
  return groups.map((group) =>
    shares.has(group) ? { ...group, weight: shares.get(group) } : { ...group, endpoints: [] },
  );
}

/** Whether a pattern such as `us-west/*` or `us-west` covers a locality. */
function covers(pattern: string, locality: string): boolean {
  const wanted = parseLocality(pattern);
  const actual = parseLocality(locality);
  return (
    (wanted.region === '*' || wanted.region === actual.region) &&
    (wanted.zone === '*' || wanted.zone === '' || wanted.zone === actual.zone) &&
    (wanted.subzone === '*' || wanted.subzone === '' || wanted.subzone === actual.subzone)
  );
}
