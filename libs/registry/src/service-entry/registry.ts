import { localKubernetes, type MeshRead, objectKey, serviceEntriesByHost } from '@kedge/config';
import { join, query } from '@kedge/incremental';
import type { Hostname, Service } from '@kedge/model';
import { kubernetesRegistry, type KubernetesRegistry } from '../kubernetes/registry.ts';
import { sameItems } from '../same-items.ts';
import type { ServiceRegistry } from '../service-registry.ts';
import type { EntryContext } from './context.ts';
import { endpointsQuery } from './endpoints.ts';
import { serviceEntryKeys } from './entry-keys.ts';
import { entryServicesQuery } from './services.ts';
import { proxyWorkloadQuery, serviceTargetsQuery } from './targets.ts';

/**
 * The services that ServiceEntries define, with WorkloadEntries and pods as their endpoints. What it needs to know of
 * those it shares with the registry of the cluster that the objects are in.
 */
export function serviceEntryRegistry(
  cluster: string,
  { context: { podWorkload, workloadEntry } }: KubernetesRegistry = kubernetesRegistry(cluster),
): ServiceRegistry {
  const entryServices = entryServicesQuery(cluster);
  const context: EntryContext = {
    cluster,
    objects: localKubernetes,
    entryServices,
    podWorkload,
    workloadEntry,
  };
  return {
    provider: 'External',
    cluster,
    services: join('serviceEntryServices', serviceEntryKeys, entryServices, (found) => found.flat(), sameItems),
    servicesOfHost: query(
      'serviceEntryServicesOfHost',
      (read: MeshRead, host: Hostname): readonly Service[] =>
        read
          .group(serviceEntriesByHost, host)
          .flatMap(({ namespace, name }) => read(entryServices, objectKey(namespace, name)))
          .filter(({ hostname }) => hostname === host),
      sameItems,
    ),
    endpoints: endpointsQuery(context),
    serviceTargets: serviceTargetsQuery(context),
    proxyWorkload: proxyWorkloadQuery(context),
    networkGateways: query('serviceEntryNetworkGateways', () => [], sameItems),
  };
}
