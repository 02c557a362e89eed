import { deepEqual, istioSources, type MeshRead, objectKey, type ObjectOf } from '@kedge/config';
import { query } from '@kedge/incremental';
import {
  canonicalHost,
  canonicalName,
  canonicalRevision,
  EVERY_CLUSTER,
  type Hostname,
  type Labels,
  parseProtocol,
  parseVisibility,
  type Resolution,
  type Service,
  type ServicePort,
  UNSPECIFIED_ADDRESS,
} from '@kedge/model';
import ipaddr from 'ipaddr.js';
import { defaultServiceExportTo, feature, namespaceAnnotations } from '../mesh.ts';
import { isDiscoverable } from '../namespace-scope.ts';
import type { MeshQuery } from '../service-registry.ts';
import { withinPolicy } from './visibility.ts';
import { allocationsSource, statusAddresses, wantsAddresses } from './allocation.ts';
import { hashedAddresses } from './hashed-allocation.ts';
import { trafficDistribution } from '../traffic-distribution.ts';

type ServiceEntry = ObjectOf<'ServiceEntry'>;

const resolutions: Readonly<Record<NonNullable<ServiceEntry['spec']['resolution']>, Resolution>> = {
  NONE: 'passthrough',
  STATIC: 'client-side-lb',
  DNS: 'dns',
  DNS_ROUND_ROBIN: 'dns-round-robin',
  DYNAMIC_DNS: 'dynamic-dns',
};

/** Makes the query for the services of a ServiceEntry by its key: one for each host. */
export function entryServicesQuery(cluster: string): MeshQuery<[key: string], readonly Service[]> {
  return query(
    'entryServices',
    (read: MeshRead, key: string): readonly Service[] => {
      const entry = read.get(istioSources.ServiceEntry, key);
      if (!entry || !read(isDiscoverable, entry.namespace)) return [];
      return entryHosts(entry).map((host) => convert(read, entry, host, cluster));
    },
    deepEqual,
  );
}

/** The hosts of an entry, each once. */
const entryHosts = ({ spec }: ServiceEntry): readonly Hostname[] => [...new Set(spec.hosts.map(canonicalHost))];

function convert(read: MeshRead, entry: ServiceEntry, hostname: Hostname, cluster: string): Service {
  const { name, namespace, annotations, creationTimestamp, spec } = entry;
  const addresses = spec.addresses.flatMap(virtualAddress);
  const exportTo = parseVisibility(
    spec.exportTo,
    namespace,
    parseVisibility(read(defaultServiceExportTo), namespace, '*'),
  );
  const meshExternal = spec.location !== 'MESH_INTERNAL';
  return {
    hostname,
    namespace,
    name,
    provider: 'External',
    clusters: [cluster],
    creationTimestamp,
    ports: spec.ports.map(servicePort),
    addresses: addresses.length > 0 ? { [EVERY_CLUSTER]: addresses } : {},
    defaultAddress: addresses[0] ?? UNSPECIFIED_ADDRESS,
    autoAllocated: autoAllocated(read, entry, hostname),
    resolution: resolutions[spec.resolution ?? 'NONE'],
    meshExternal,
    exportTo: withinPolicy(read, exportTo, namespace),
    labels: meshExternal && feature(read, 'canonicalServiceForExternal') ? withCanonicalLabels(entry) : entry.labels,
    ...(spec.workloadSelector && { selector: spec.workloadSelector.labels }),
    trafficDistribution: trafficDistribution(undefined, annotations, read(namespaceAnnotations, namespace)),
    ...(racesConnections(annotations) && { racesConnections: true }),
    subjectAltNames: spec.subjectAltNames,
  };
}

const racesConnections = (annotations: Labels): boolean =>
  annotations['istio.io/connect-strategy']?.toUpperCase() === 'RACE_FIRST_TCP_CONNECT';

function servicePort({ name, number, protocol = '', targetPort }: ServiceEntry['spec']['ports'][number]): ServicePort {
  return { name, port: number, protocol: parseProtocol(protocol), ...(targetPort && { targetPort }) };
}

/** An address or a range; a range of one address is that address, and what is neither is nothing. */
export function virtualAddress(address: string): readonly string[] {
  if (ipaddr.isValid(address)) return [address];
  if (!ipaddr.isValidCIDR(address)) return [];
  const [network, prefix] = ipaddr.parseCIDR(address);
  return [prefix === (network.kind() === 'ipv4' ? 32 : 128) ? network.toString() : address];
}

/** The addresses that a host was given: by the entry's status or, where nobody writes one, by our own allocator. Or its name. */
function autoAllocated(read: MeshRead, entry: ServiceEntry, hostname: Hostname): readonly string[] {
  if (!feature(read, 'ipAutoallocate')) return hashedAddresses(read, entry, hostname);
  if (!wantsAddresses(entry)) return [];
  const inStatus = statusAddresses(entry)[hostname];
  return inStatus ?? read.get(allocationsSource, objectKey(entry.namespace, entry.name))?.[hostname] ?? [];
}

function withCanonicalLabels({ name, labels }: ServiceEntry): Labels {
  return {
    'service.istio.io/canonical-name': canonicalName(labels, name),
    'service.istio.io/canonical-revision': canonicalRevision(labels),
    ...labels,
  };
}
