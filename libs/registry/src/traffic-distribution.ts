import type { Labels, TrafficDistribution } from '@kedge/model';

const byName: Readonly<Record<string, TrafficDistribution>> = {
  preferclose: 'prefer-same-zone',
  prefersamezone: 'prefer-same-zone',
  prefersamenode: 'prefer-same-node',
};

/** What the service's field says, else its annotation, else its namespace's annotation. */
export function trafficDistribution(
  field: string | undefined,
  annotations: Labels,
  namespaceAnnotations: Labels,
): TrafficDistribution {
  const fromField = field === undefined ? undefined : byName[field.toLowerCase()];
  if (fromField) return fromField;
  const stated = annotations[ANNOTATION] || namespaceAnnotations[ANNOTATION];
  return (stated && byName[stated.toLowerCase()]) || 'any';
}

const ANNOTATION = 'networking.istio.io/traffic-distribution';
