import { type Service, serviceKey } from '@kedge/model';

/**
 * Makes one service of those that several clusters of Kubernetes define under one name. Services of other registries
 * stay as they are, several of one host too. The result is a new list, in the order of first appearance.
 */
export function mergeServices(services: readonly Service[]): Service[] {
  const merged: Service[] = [];
  const places = new Map<string, number>();
  for (const service of services) {
    const place = service.provider === 'Kubernetes' ? places.get(serviceKey(service)) : undefined;
    if (place === undefined) {
      if (service.provider === 'Kubernetes') places.set(serviceKey(service), merged.length);
      merged.push(service);
    } else {
      merged[place] = mergeTwo(merged[place] as Service, service);
    }
  }
  return merged;
}

/** The first cluster's definition decides what only one can say. */
function mergeTwo(first: Service, second: Service): Service {
  return {
    ...first,
    clusters: [...new Set([...first.clusters, ...second.clusters])].sort(),
    addresses: { ...second.addresses, ...first.addresses },
    subjectAltNames: [...new Set([...first.subjectAltNames, ...second.subjectAltNames])],
    ...(first.kubernetes && {
      kubernetes: {
        ...first.kubernetes,
        externalAddresses: { ...second.kubernetes?.externalAddresses, ...first.kubernetes.externalAddresses },
        externalPorts: { ...second.kubernetes?.externalPorts, ...first.kubernetes.externalPorts },
      },
    }),
  };
}
