import { deepEqual, istioSources, type MeshRead, objectKey, type ObjectOf, serviceEntriesByHost } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Endpoint, Hostname } from '@kedge/model';
import { isDiscoverable } from '../namespace-scope.ts';
import type { MeshQuery } from '../service-registry.ts';
import { isUnixAddress } from '../workload-entry.ts';
import type { Workload } from '../workload.ts';
import type { EntryContext } from './context.ts';
import { virtualAddress } from './services.ts';
import { resolvesItsHost, workloadsOf } from './workloads.ts';

type ServiceEntry = ObjectOf<'ServiceEntry'>;
type EntryPort = ServiceEntry['spec']['ports'][number];

/** Makes the query for the endpoints of a host in a namespace: those of all entries that define it, oldest entry first. */
export function endpointsQuery(
  context: EntryContext,
): MeshQuery<[host: Hostname, namespace: string], readonly Endpoint[]> {
  const workloadEndpoints = workloadEndpointsQuery(context);
  return query(
    'entryEndpoints',
    (read: MeshRead, host: Hostname, namespace: string): readonly Endpoint[] => {
      if (!read(isDiscoverable, namespace)) return [];
      const entries = read
        .group(serviceEntriesByHost, host)
        .filter((entry) => entry.namespace === namespace)
        .toSorted((a, b) => a.creationTimestamp - b.creationTimestamp || (a.name < b.name ? -1 : 1));
      const endpoints: Endpoint[] = [];
      const served = new Set<number | undefined>();
      for (const entry of entries) {
        const own = resolvesItsHost(entry)
          ? hostEndpoints(entry, host, context.cluster)
          : read(workloadEndpoints, objectKey(namespace, entry.name));
        for (const endpoint of forEachAddress(entry, own)) {
          // Such a cluster has room for one endpoint only; the first is served.
          if (entry.spec.resolution === 'DNS_ROUND_ROBIN' && served.has(endpoint.servicePort)) continue;
          served.add(endpoint.servicePort);
          endpoints.push(endpoint);
        }
      }
      return endpoints;
    },
    deepEqual,
  );
}

/**
 * An entry with several addresses counts its endpoints once for each, as Istio does; that shows in the weights of
 * localities where several entries define one host.
 */
function forEachAddress({ spec }: ServiceEntry, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const addresses = spec.addresses.flatMap(virtualAddress).length;
  return addresses > 1 ? Array.from({ length: addresses }, () => endpoints).flat() : endpoints;
}

/** The endpoints of the workloads behind an entry, which are the same for each of its hosts. */
function workloadEndpointsQuery(context: EntryContext): MeshQuery<[key: string], readonly Endpoint[]> {
  return query(
    'entryWorkloadEndpoints',
    (read: MeshRead, key: string): readonly Endpoint[] => {
      const entry = read.get(istioSources.ServiceEntry, key);
      if (!entry) return [];
      return workloadsOf(read, context, entry).flatMap((workload) =>
        entry.spec.ports.map((port) => ({
          ...workload.endpoint,
          port: entryTargetPort(port, workload),
          portName: port.name,
          servicePort: port.number,
        })),
      );
    },
    deepEqual,
  );
}

/** A socket's path needs no port; else the workload's own port of that name counts most, then the entry's target port. */
export function entryTargetPort({ name, number, targetPort }: EntryPort, { endpoint, ports }: Workload): number {
  if (endpoint.addresses.length === 1 && isUnixAddress(endpoint.addresses[0] ?? '')) return 0;
  return ports[name] || targetPort || number;
}

function hostEndpoints({ namespace, name, spec }: ServiceEntry, host: Hostname, cluster: string): readonly Endpoint[] {
  return spec.ports.map(({ name: portName, number, targetPort }) => ({
    addresses: [host],
    port: targetPort || number,
    portName,
    servicePort: number,
    labels: {},
    serviceAccount: '',
    namespace,
    workloadName: name,
    network: '',
    locality: '',
    cluster,
    nodeName: '',
    weight: 0,
    tlsMode: 'disabled',
    health: 'unknown',
  }));
}
