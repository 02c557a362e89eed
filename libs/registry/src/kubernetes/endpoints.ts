import {
  deepEqual,
  type MeshRead,
  objectKey,
  type ObjectOf,
  selectorGroup,
  workloadEntriesByLabel,
} from '@kedge/config';
import { query } from '@kedge/incremental';
import {
  type Endpoint,
  type HealthStatus,
  type Hostname,
  labelsMatch,
  type Service,
  type ServicePort,
} from '@kedge/model';
import { domainSuffix, feature } from '../mesh.ts';
import type { MeshQuery } from '../service-registry.ts';
import { hasIpAddress } from '../workload-entry.ts';
import { withTopology, type Workload } from '../workload.ts';
import type { ClusterContext } from './context.ts';
import { keyOfHostname } from './service.ts';
import { targetPortOf } from './target-port.ts';

type Slice = ObjectOf<'EndpointSlice'>;
type SliceEndpoint = Slice['spec']['endpoints'][number];

/** Makes the query for the endpoints of a host: those of its slices, then the WorkloadEntries that the service selects. */
export function endpointsQuery(
  context: ClusterContext,
  service: MeshQuery<[key: string], Service | undefined>,
): MeshQuery<[host: Hostname, namespace: string], readonly Endpoint[]> {
  const fromSlices = sliceEndpointsQuery(context, service);
  const fromEntries = workloadEntryEndpointsQuery(context, service);
  return query(
    'kubernetesEndpoints',
    (read: MeshRead, host: Hostname, namespace: string): readonly Endpoint[] => {
      const key = keyOfHostname(host, read(domainSuffix));
      if (key === undefined || !key.startsWith(`${namespace}/`)) return [];
      return [...read(fromSlices, key), ...read(fromEntries, key)];
    },
    deepEqual,
  );
}

function sliceEndpointsQuery(
  context: ClusterContext,
  service: MeshQuery<[key: string], Service | undefined>,
): MeshQuery<[key: string], readonly Endpoint[]> {
  const { objects, isDiscoverable } = context;
  return query(
    'sliceEndpoints',
    (read: MeshRead, key: string): readonly Endpoint[] => {
      const namespace = key.slice(0, key.indexOf('/'));
      if (!read(isDiscoverable, namespace)) return [];
      const owner = read(service, key);
      const seen = new Set<string>();
      return read
        .group(objects.slicesByService, key)
        .filter(({ spec }) => spec.addressType !== 'FQDN')
        .flatMap((slice) => endpointsOfSlice(read, context, slice, owner))
        .filter(({ addresses, portName }) => {
          const place = `${addresses[0]} ${portName}`;
          return !seen.has(place) && seen.add(place);
        });
    },
    deepEqual,
  );
}

function endpointsOfSlice(
  read: MeshRead,
  context: ClusterContext,
  { namespace, spec }: Slice,
  service: Service | undefined,
): readonly Endpoint[] {
  const addressCount = service?.addresses[context.cluster]?.length ?? 0;
  return spec.endpoints.flatMap((endpoint) => {
    const health = healthOf(read, endpoint, service);
    return endpoint.addresses.flatMap((address) => {
      const isPod = endpoint.targetRef?.kind === 'Pod';
      const pod = isPod
        ? read(
            context.podWorkload,
            objectKey(endpoint.targetRef?.namespace ?? namespace, endpoint.targetRef?.name ?? ''),
          )
        : podAt(read, context, namespace, address);
      if (isPod && !pod) return [];
      // A pod of both families stands in two slices; one endpoint with both addresses is made of the IPv4 one.
      const dualStack = isPod && addressCount > 1 && (pod?.endpoint.addresses.length ?? 0) > 1;
      if (dualStack && spec.addressType === 'IPv6') return [];
      const base = pod?.endpoint ?? unknownWorkload(read, context, address);
      const addresses = dualStack ? base.addresses : [address];
      return spec.ports.map(({ name, port = 0 }) => ({ ...base, addresses, port, portName: name, health }));
    });
  });
}

/** Whether an endpoint may be used; conditions that are not there count as true. */
function healthOf(read: MeshRead, { conditions }: SliceEndpoint, service: Service | undefined): HealthStatus {
  const { ready = true, serving = true, terminating = true } = conditions ?? {};
  if (ready) return 'healthy';
  if (!service || !terminating) return 'unhealthy';
  return serving && keepsSessions(read, service) ? 'draining' : 'terminating';
}

/** Whether connections of a session stay with an endpoint that is shutting down. */
function keepsSessions(read: MeshRead, { labels }: Service): boolean {
  return [feature(read, 'persistentSessionLabel'), feature(read, 'persistentSessionHeaderLabel')].some(
    (label) => label !== '' && !!labels[label],
  );
}

/** The ready pod of the namespace that has the address: whoever wrote the slice did not say which one is meant. */
function podAt(
  read: MeshRead,
  { objects, podWorkload }: ClusterContext,
  namespace: string,
  address: string,
): Workload | undefined {
  for (const pod of read.group(objects.podsByIp, address)) {
    if (pod.namespace !== namespace || pod.status?.podIP !== address) continue;
    const workload = read(podWorkload, objectKey(pod.namespace, pod.name));
    if (workload?.ready) return workload;
  }
  return undefined;
}

/** What is known of an address that is no pod's. */
function unknownWorkload(
  read: MeshRead,
  { cluster, networkOf }: ClusterContext,
  address: string,
): Workload['endpoint'] {
  const network = networkOf(read, address, {});
  return {
    addresses: [address],
    labels: withTopology({}, { cluster, locality: '', nodeName: '', network }),
    serviceAccount: '',
    namespace: '',
    workloadName: '',
    network,
    locality: '',
    cluster,
    nodeName: '',
    weight: 0,
    tlsMode: 'disabled',
    health: 'healthy',
  };
}

/** Services that spread requests themselves may select WorkloadEntries of their namespace too. */
function workloadEntryEndpointsQuery(
  { objects, workloadEntry }: ClusterContext,
  service: MeshQuery<[key: string], Service | undefined>,
): MeshQuery<[key: string], readonly Endpoint[]> {
  return query(
    'selectedWorkloadEntries',
    (read: MeshRead, key: string): readonly Endpoint[] => {
      const owner = read(service, key);
      const object = read.get(objects.sources.Service, key);
      if (!object || !owner?.selector || owner.resolution !== 'client-side-lb' || owner.meshExternal) return [];
      if (!feature(read, 'serviceSelectsWorkloadEntries')) return [];
      const { selector, namespace } = owner;
      const selected = read
        .group(workloadEntriesByLabel, selectorGroup(namespace, selector))
        .map(({ name }) => read(workloadEntry, objectKey(namespace, name)))
        .filter((entry) => entry !== undefined && hasIpAddress(entry) && labelsMatch(selector, entry.endpoint.labels));
      return owner.ports.flatMap((port) =>
        selected.flatMap((entry) => (entry ? endpointOfEntry(entry, port, object) : [])),
      );
    },
    deepEqual,
  );
}

function endpointOfEntry(entry: Workload, { name, port }: ServicePort, service: ObjectOf<'Service'>): Endpoint[] {
  const target = targetPortOf(service, name, port, entry.ports);
  return target === undefined ? [] : [{ ...entry.endpoint, port: target, portName: name }];
}
