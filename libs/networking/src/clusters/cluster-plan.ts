import type { MeshRead } from '@kedge/config';
import { join, query } from '@kedge/incremental';
import type { Service } from '@kedge/model';
import { compareText, destinationRule, sameMembers, scopeServices, scopeServicesOfHost } from '@kedge/pushcontext';
import { outboundClusterName, sniClusterName } from './cluster-name.ts';
import { isDynamicDns } from './dynamic-dns-cluster.ts';
import { neededServices } from './needed-services.ts';

/** The names of the clusters of a port and its subsets. */
type NameOf = (host: string, port: number, subset?: string) => string;

function clusterNames(read: MeshRead, services: readonly Service[], nameOf: NameOf): readonly string[] {
  return services.flatMap((service) => {
    const { hostname, namespace, ports } = service;
    const numbers = ports.filter(({ protocol }) => protocol !== 'UDP').map(({ port }) => port);
    const subsets = isDynamicDns(service) ? [] : (read(destinationRule, hostname, namespace)?.subsets ?? []);
    return numbers.flatMap((port) => [
      nameOf(hostname, port),
      ...subsets.map(({ name }) => nameOf(hostname, port, name)),
    ]);
  });
}

const hostsOf = (services: readonly Service[]): readonly string[] => [
  ...new Set(services.filter(({ resolution }) => resolution !== 'alias').map(({ hostname }) => hostname)),
];

const neededHosts = query(
  'neededHosts',
  (read: MeshRead): readonly string[] => hostsOf(read(neededServices)),
  sameMembers,
);

const outboundNamesOfHost = query(
  'outboundClusterNamesOfHost',
  (read: MeshRead, host: string) => clusterNames(read, unaliased(read(scopeServicesOfHost, host)), outboundClusterName),
  sameMembers,
);

const unaliased = (services: readonly Service[]): readonly Service[] =>
  services.filter(({ resolution }) => resolution !== 'alias');

const union = (lists: readonly (readonly string[])[]): readonly string[] =>
  [...new Set(lists.flat())].sort(compareText);

/** The names of all outbound clusters that the proxy may have, sorted. Some turn out to be none, for want of endpoints. */
export const outboundClusterNames = join('outboundClusterNames', neededHosts, outboundNamesOfHost, union, sameMembers);

/** The names of the clusters by which a gateway between networks passes connections on, by their SNI. */
export const sniClusterNames = query(
  'sniClusterNames',
  (read: MeshRead): readonly string[] => {
    const services = unaliased(read(scopeServices)).filter(({ meshExternal }) => !meshExternal);
    return [...new Set(clusterNames(read, services, sniClusterName))];
  },
  sameMembers,
);
