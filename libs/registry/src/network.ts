import { deepEqual, type KubernetesSources, type MeshRead, meshNetworksSource, objectKey, SINGLE } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Labels } from '@kedge/model';
import ipaddr from 'ipaddr.js';
import { systemNamespace } from './mesh.ts';
import type { MeshQuery } from './service-registry.ts';

export const NETWORK_LABEL = 'topology.istio.io/network';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** How MeshNetworks places the endpoints of a cluster. */
interface NetworkTable {
  /** The network of the whole cluster, empty where it has none. */
  readonly ofCluster: string;
  /** Widest range first. */
  readonly ranges: readonly { readonly cidr: string; readonly network: string }[];
}

const networkTable = query(
  'networkTable',
  (read: MeshRead, cluster: string): NetworkTable => {
    const networks = Object.entries(read.get(meshNetworksSource, SINGLE)?.networks ?? {}).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const ranges = networks.flatMap(([network, { endpoints }]) =>
      endpoints.flatMap(({ fromCidr }) =>
        fromCidr && ipaddr.isValidCIDR(fromCidr) ? [{ cidr: fromCidr, network }] : [],
      ),
    );
    const prefix = (cidr: string): number => ipaddr.parseCIDR(cidr)[1];
    return {
      ofCluster: networks.find(([, { endpoints }]) => endpoints.some((e) => e.fromRegistry === cluster))?.[0] ?? '',
      ranges: ranges.sort((a, b) => prefix(a.cidr) - prefix(b.cidr)),
    };
  },
  deepEqual,
);

/** Makes the query for the network that a cluster's system namespace names by label. */
const systemNetworkQuery = ({ sources }: KubernetesSources): MeshQuery<[], string> =>
  query(
    'systemNetwork',
    (read: MeshRead) => read.get(sources.Namespace, objectKey('', read(systemNamespace)))?.labels[NETWORK_LABEL] ?? '',
  );

/** Which network a workload of a cluster is in: its label says, else the system namespace's, else MeshNetworks; or none. */
export type NetworkOf = (read: MeshRead, address: string, labels: Labels) => string;

export function networkLookup(cluster: string, sources: KubernetesSources): NetworkOf {
  const systemNetwork = systemNetworkQuery(sources);
  return (read, address, labels) => {
    const stated = labels[NETWORK_LABEL] || read(systemNetwork);
    if (stated) return stated;
    const { ofCluster, ranges } = read(networkTable, cluster);
    if (ofCluster || ranges.length === 0 || !ipaddr.isValid(address)) return ofCluster;
    const parsed = ipaddr.parse(address);
    return ranges.find(({ cidr }) => contains(ipaddr.parseCIDR(cidr), parsed))?.network ?? '';
  };
}

function contains(range: Range, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}
