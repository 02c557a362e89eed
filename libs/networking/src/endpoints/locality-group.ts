import type { ClusterLoadAssignment, LbEndpoint, Messages } from '@kedge/envoy-api';
import { type Labels, parseLocality } from '@kedge/model';

type LocalityLbEndpoints = Messages['envoy.config.endpoint.v3.LocalityLbEndpoints'];

/** An endpoint as Envoy gets it, with the labels by which clients may prefer it. */
export interface PlacedEndpoint {
  readonly labels: Labels;
  readonly network: string;
  readonly cluster: string;
  readonly message: LbEndpoint;
}

/** Endpoints in one place that clients treat alike. */
export interface LocalityGroup {
  /** `region/zone/subzone`, empty where unknown. */
  readonly locality: string;
  readonly endpoints: readonly PlacedEndpoint[];
  /** Undefined where there is nothing to weigh. */
  readonly weight: number | undefined;
  /** 0 is tried first. */
  readonly priority: number;
}

const MAX_WEIGHT = 4294967295;

const addWeights = (a: number, b: number): number => Math.min(a + b, MAX_WEIGHT);
export const scaleWeight = (weight: number, by: number): number => Math.min(weight * by, MAX_WEIGHT);

export function totalWeight(endpoints: readonly PlacedEndpoint[]): number {
  return endpoints.reduce((sum, { message }) => addWeights(sum, message.loadBalancingWeight ?? 0), 0);
}

/** The endpoints by locality, in the order of their names. */
export function groupByLocality(
  endpoints: readonly (PlacedEndpoint & { readonly locality: string })[],
): LocalityGroup[] {
  return [...Map.groupBy(endpoints, ({ locality }) => locality)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([locality, members]) => ({ locality, endpoints: members, weight: totalWeight(members), priority: 0 }));
}

/** The group with other endpoints, weighed anew. */
export function withEndpoints(group: LocalityGroup, endpoints: readonly PlacedEndpoint[]): LocalityGroup {
  return { ...group, endpoints, weight: endpoints.length > 0 ? totalWeight(endpoints) : undefined };
}

export function loadAssignmentOf(clusterName: string, groups: readonly LocalityGroup[]): ClusterLoadAssignment {
  return { clusterName, ...(groups.length > 0 ? { endpoints: groups.map(localityMessage) } : {}) };
}

function localityMessage({ locality, endpoints, weight, priority }: LocalityGroup): LocalityLbEndpoints {
  const { region, zone, subzone } = parseLocality(locality);
  return {
    locality: { ...(region ? { region } : {}), ...(zone ? { zone } : {}), ...(subzone ? { subZone: subzone } : {}) },
    ...(endpoints.length > 0 ? { lbEndpoints: endpoints.map(({ message }) => message) } : {}),
    ...(weight === undefined ? {} : { loadBalancingWeight: weight }),
    ...(priority > 0 ? { priority } : {}),
  };
}
