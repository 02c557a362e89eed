import { deepEqual, type MeshRead, meshNetworksSource, objectKey, SINGLE } from '@kedge/config';
import { query } from '@kedge/incremental';
import { canonicalHost, type Service } from '@kedge/model';
import { domainSuffix } from '../mesh.ts';
import { NETWORK_LABEL } from '../network.ts';
import type { MeshQuery, NetworkGateway } from '../service-registry.ts';
import type { ClusterContext } from './context.ts';
import { keyOfHostname } from './service.ts';

const PORT_LABEL = 'networking.istio.io/gatewayPort';
const DEFAULT_PORT = 15443;
const HBONE_PORT = 15008;

type Ports = Pick<NetworkGateway, 'network' | 'port' | 'hbonePort'>;

/** Makes the query for the gateways that services of a cluster are: by their label, or because MeshNetworks names them. */
export function networkGatewaysQuery(
  { objects, cluster }: ClusterContext,
  serviceOf: MeshQuery<[key: string], Service | undefined>,
): MeshQuery<[], readonly NetworkGateway[]> {
  return query(
    'kubernetesNetworkGateways',
    (read: MeshRead): readonly NetworkGateway[] => {
      const labelled = read
        .group(objects.networkGatewayServices, SINGLE)
        .flatMap(({ namespace, name }) => labelledGateways(read(serviceOf, objectKey(namespace, name)), cluster));
      return [...labelled, ...namedGateways(read, cluster, serviceOf)];
    },
    deepEqual,
  );
}

function labelledGateways(service: Service | undefined, cluster: string): readonly NetworkGateway[] {
  if (!service) return [];
  const stated = Number(service.labels[PORT_LABEL]);
  const offered = (wanted: number): number => (service.ports.some(({ port }) => port === wanted) ? wanted : 0);
  const port = offered(Number.isInteger(stated) && stated > 0 ? stated : DEFAULT_PORT);
  const hbonePort = offered(HBONE_PORT);
  if (port === 0 && hbonePort === 0) return [];
  return atAddresses(service, cluster, { network: service.labels[NETWORK_LABEL] ?? '', port, hbonePort });
}

/** Gateways that MeshNetworks names by service, in networks that this cluster's registry belongs to. */
function namedGateways(
  read: MeshRead,
  cluster: string,
  serviceOf: MeshQuery<[key: string], Service | undefined>,
): readonly NetworkGateway[] {
  const networks = Object.entries(read.get(meshNetworksSource, SINGLE)?.networks ?? {});
  return networks
    .filter(([, { endpoints }]) => endpoints.some(({ fromRegistry }) => fromRegistry === cluster))
    .flatMap(([network, { gateways }]) =>
      gateways.flatMap(({ registryServiceName, port = 0 }) => {
        const key = registryServiceName && keyOfHostname(canonicalHost(registryServiceName), read(domainSuffix));
        const service = key ? read(serviceOf, key) : undefined;
        if (!service || service.labels[NETWORK_LABEL]) return [];
        return atAddresses(service, cluster, { network, port, hbonePort: 0 });
      }),
    );
}

/** One gateway for each external address, at the node port where the addresses are those of nodes. */
function atAddresses({ kubernetes }: Service, cluster: string, { network, port, hbonePort }: Ports): NetworkGateway[] {
  const nodePort = kubernetes?.externalPorts[cluster]?.[port] ?? port;
  const addresses = kubernetes?.externalAddresses[cluster] ?? [];
  return addresses.map((address) => ({ network, cluster, address, port: nodePort, hbonePort }));
}
