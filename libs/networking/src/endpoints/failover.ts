import { parseLocality } from '@kedge/model';
import { type LocalityGroup, totalWeight } from './locality-group.ts';

/** From which region traffic goes over to which, when the client's own has no healthy endpoint. */
export interface RegionFailover {
  readonly from?: string;
  readonly to?: string;
}

/** Envoy wants priorities from 0 without a gap. */
function withoutGaps(groups: readonly LocalityGroup[]): LocalityGroup[] {
  const levels = [...new Set(groups.map(({ priority }) => priority))].sort((a, b) => a - b);
  const rank = new Map(levels.map((level, at) => [level, at]));
  return groups.map((group) => ({ ...group, priority: rank.get(group.priority) ?? 0 }));
}

/** Refines priorities: groups of one priority are told apart by a second distance, of which there are `distances`. */
function refine(
  groups: readonly LocalityGroup[],
  distances: number,
  distanceOf: (group: LocalityGroup) => number,
): LocalityGroup[] {
  return withoutGaps(groups.map((group) => ({ ...group, priority: group.priority * distances + distanceOf(group) })));
}

const SAME_SUBZONE = 0;
const SAME_ZONE = 1;
const SAME_REGION = 2;
const ELSEWHERE = 3;
const LAST_RESORT = 4;

/** Nearer endpoints first. Regions that are not the one named for fail-over come last. */
export function localityFailover(
  groups: readonly LocalityGroup[],
  clientLocality: string,
  failover: readonly RegionFailover[],
): LocalityGroup[] {
  const client = parseLocality(clientLocality);
  const rule = failover.find(({ from }) => from === client.region);
  return refine(groups, LAST_RESORT + 1, ({ locality }) => {
    const { region, zone, subzone } = parseLocality(locality);
    if (region !== client.region) return rule && region !== rule.to ? LAST_RESORT : ELSEWHERE;
    if (zone !== client.zone) return SAME_REGION;
    return subzone === client.subzone ? SAME_SUBZONE : SAME_ZONE;
  });
}

/** The client's region first, as a whole, so that Envoy balances over its zones; then the region named for fail-over. */
export function regionFailover(
  groups: readonly LocalityGroup[],
  clientLocality: string,
  failover: readonly RegionFailover[],
): LocalityGroup[] {
  const { region: own } = parseLocality(clientLocality);
  const rule = failover.find(({ from }) => from === own);
  return refine(groups, 3, ({ locality }) => {
    const { region } = parseLocality(locality);
    if (region === own) return 0;
    return rule && region === rule.to ? 1 : 2;
  });
}

const NETWORK_LABEL = 'topology.istio.io/network';

/** A label to compare, with the value that counts as the client's: `label` or `label=value`. */
export interface PriorityLabel {
  readonly label: string;
  readonly value: string | undefined;
}

/**
 * Endpoints that share the most labels with the client first: they are compared one label after the other until one differs.
 * The network, where it comes first, only puts the endpoints of other networks behind all those of the client's.
 */
export function labelFailover(groups: readonly LocalityGroup[], labels: readonly PriorityLabel[]): LocalityGroup[] {
  const distance = (endpointLabels: Readonly<Record<string, string>>): number => {
    const differs = ({ label, value }: PriorityLabel): boolean => (value ?? '') !== (endpointLabels[label] ?? '');
    const [first, ...rest] = labels;
    const network = first?.label === NETWORK_LABEL ? first : undefined;
    const compared = network ? rest : labels;
    const at = compared.findIndex(differs);
    return (at < 0 ? 0 : compared.length - at) + (network && differs(network) ? labels.length : 0);
  };
  return withoutGaps(
    groups.flatMap((group) =>
      [...Map.groupBy(group.endpoints, ({ labels: of }) => distance(of))]
        .sort(([a], [b]) => a - b)
        .map(([priority, endpoints]) => ({ ...group, priority, endpoints, weight: totalWeight(endpoints) })),
    ),
  );
}
