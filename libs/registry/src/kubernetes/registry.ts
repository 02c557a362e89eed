import { type KubernetesSources, localKubernetes, type MeshRead } from '@kedge/config';
import { join, query } from '@kedge/incremental';
import type { Hostname, Service } from '@kedge/model';
import { domainSuffix } from '../mesh.ts';
import { namespaceScope } from '../namespace-scope.ts';
import { networkLookup } from '../network.ts';
import { sameItems } from '../same-items.ts';
import type { ServiceRegistry } from '../service-registry.ts';
import { workloadEntryQuery } from '../workload-entry.ts';
import type { ClusterContext } from './context.ts';
import { endpointsQuery } from './endpoints.ts';
import { networkGatewaysQuery } from './network-gateways.ts';
import { podWorkloadQuery } from './pod-workload.ts';
import { keyOfHostname, serviceQuery } from './service.ts';
import { proxyWorkloadQuery, serviceTargetsQuery } from './targets.ts';

/** What the registry of one cluster consists of. */
export interface KubernetesRegistry extends ServiceRegistry {
  readonly context: ClusterContext;
}

/** The services of one cluster of Kubernetes, from its Services, EndpointSlices, Pods, Nodes and Namespaces. */
export function kubernetesRegistry(cluster: string, objects: KubernetesSources = localKubernetes): KubernetesRegistry {
  const networkOf = networkLookup(cluster, objects);
  const context: ClusterContext = {
    cluster,
    objects,
    networkOf,
    isDiscoverable: namespaceScope(objects),
    podWorkload: podWorkloadQuery(cluster, objects, networkOf),
    workloadEntry: workloadEntryQuery(cluster),
  };
  const service = serviceQuery(context);
  return {
    provider: 'Kubernetes',
    cluster,
    context,
    services: join(
      'kubernetesServices',
      query('kubernetesServiceKeys', (read: MeshRead) => read.keys(objects.sources.Service)),
      service,
      (found) => found.filter((one) => one !== undefined),
      sameItems,
    ),
    servicesOfHost: query(
      'kubernetesServicesOfHost',
      (read: MeshRead, host: Hostname): readonly Service[] => {
        const key = keyOfHostname(host, read(domainSuffix));
        const found = key === undefined ? undefined : read(service, key);
        return found ? [found] : [];
      },
      sameItems,
    ),
    endpoints: endpointsQuery(context, service),
    serviceTargets: serviceTargetsQuery(context, service),
    proxyWorkload: proxyWorkloadQuery(context),
    networkGateways: networkGatewaysQuery(context, service),
  };
}
