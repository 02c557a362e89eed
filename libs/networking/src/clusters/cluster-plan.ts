import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Service } from '@kedge/model';
import { destinationRule, sameMembers, scopeServices } from '@kedge/pushcontext';
import { outboundClusterName, sniClusterName } from './cluster-name.ts';
import { isDynamicDns } from './dynamic-dns-cluster.ts';
import { neededServices } from './needed-services.ts';

/** The names of the clusters of a port and its subsets. */
type NameOf = (host: string, port: number, subset?: string) => string;

function clusterNames(read: MeshRead, services: readonly Service[], nameOf: NameOf): readonly string[] {
  const names = services.flatMap((service) => {
    const { hostname, namespace, ports } = service;
    const numbers = ports.filter(({ protocol }) => protocol !== 'UDP').map(({ port }) => port);
    const subsets = isDynamicDns(service) ? [] : (read(destinationRule, hostname, namespace)?.subsets ?? []);
    return numbers.flatMap((port) => [
      nameOf(hostname, port),
      ...subsets.map(({ name }) => nameOf(hostname, port, name)),
    ]);
  });
  return [...new Set(names)];
}

/** The names of all outbound clusters that the proxy may have. Some turn out to be none, for want of endpoints. */
export const outboundClusterNames = query(
  'outboundClusterNames',
  (read: MeshRead): readonly string[] => {
    const services = read(neededServices).filter(({ resolution }) => resolution !== 'alias');
    return clusterNames(read, services, outboundClusterName);
  },
  sameMembers,
);

/** The names of the clusters by which a gateway between networks passes connections on, by their SNI. */
export const sniClusterNames = query(
  'sniClusterNames',
  (read: MeshRead): readonly string[] => {
    const services = read(scopeServices).filter(
      ({ resolution, meshExternal }) => resolution !== 'alias' && !meshExternal,
    );
    return clusterNames(read, services, sniClusterName);
  },
  sameMembers,
);
