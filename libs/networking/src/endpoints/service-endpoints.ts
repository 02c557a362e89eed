import { type MeshRead, proxyCluster } from '@kedge/config';
import { fact } from '@kedge/incremental';
import {
  type ClientTLSSettings,
  type Endpoint,
  type EndpointShard,
  isIpAddress,
  type Labels,
  labelsMatch,
  type Proxy,
  type Service,
  type ServicePort,
} from '@kedge/model';
import { features, metadataText } from '@kedge/pushcontext';
import { endpointShards, servicesOfKey } from '@kedge/registry';
import { isSocketPath, isUnixAddress } from '../address.ts';
import type { PortPolicy } from '../clusters/traffic-policy.ts';
import { isClusterLocal } from './cluster-local.ts';
import { usesMutualTls } from './endpoint-tls.ts';
import { isDraining, lbEndpoint } from './lb-endpoint.ts';
import { groupByLocality, type LocalityGroup } from './locality-group.ts';
import { gatewaysBetweenNetworks } from './network-gateways.ts';
import { includesUnhealthy } from './unhealthy-endpoints.ts';

/** Which endpoints of a service a cluster has. */
export interface EndpointChoice {
  readonly service: Service;
  readonly port: ServicePort;
  /** Labels of the subset; empty for all. */
  readonly labels: Labels;
  /** The rule's policy for the port. */
  readonly policy: PortPolicy | undefined;
  /** The TLS mode that the rule demands; undefined leaves it to the endpoints. */
  readonly tlsMode: ClientTLSSettings['mode'] | undefined;
  /** Whether the cluster resolves host names by itself. */
  readonly resolvesNames: boolean;
  /** A further condition. */
  readonly only?: (endpoint: Endpoint) => boolean;
}

/** The networks that the proxy wants to see, as text; empty for all. */
const networkView = fact('networkView', (proxy: Proxy) => proxy.metadata.requestedNetworkView.toSorted().join(','));

/** Whether an endpoint serves a port of a service, by its number where that is known. */
export function servesPort(endpoint: Endpoint, { name, port }: ServicePort): boolean {
  return endpoint.servicePort === undefined ? endpoint.portName === name : endpoint.servicePort === port;
}

/**
 * The condition for endpoints that Envoy is told of: the name of the port decides, so that several objects for one host add
 * endpoints to each other. Those of objects that are resolved in another way are none of this cluster's.
 */
function servesPortByName(read: MeshRead, { service, port }: EndpointChoice): Usable {
  const numbers = new Set(
    read(servicesOfKey, service.hostname, service.namespace)
      .filter(({ resolution }) => resolution === service.resolution)
      .flatMap(({ ports }) => ports.map((one) => one.port)),
  );
  return ({ portName, servicePort }) =>
    portName === port.name && (servicePort === undefined || numbers.has(servicePort));
}

/** The endpoints that the asking proxy may use, by locality, in the form in which Envoy gets them. */
export function chosenEndpoints(read: MeshRead, choice: EndpointChoice): readonly LocalityGroup[] {
  const { service, port, labels, resolvesNames } = choice;
  const shards = read(endpointShards, service.hostname, service.namespace);
  const serves: Usable = resolvesNames ? (one) => servesPort(one, port) : servesPortByName(read, choice);
  const usable = usableBy(read, choice, shards);
  const ownCluster = read(isClusterLocal, service.hostname) || service.kubernetes?.nodeLocal === true;
  const endpoints = shards
    .filter(({ cluster }) => !ownCluster || cluster === read.fact(proxyCluster))
    .flatMap((shard) => shard.endpoints)
    .filter((endpoint) => serves(endpoint) && labelsMatch(labels, endpoint.labels) && usable(endpoint));
  const switches = features(read);
  return groupByLocality(
    endpoints.map((endpoint) => {
      const facts = {
        workloadName: endpoint.workloadName,
        ...seenAs(read, service, endpoint),
        cluster: endpoint.cluster,
        mutualTls: usesMutualTls(read, choice.tlsMode, endpoint),
      };
      return {
        locality: endpoint.locality,
        labels: endpoint.labels,
        network: endpoint.network,
        cluster: endpoint.cluster,
        message: lbEndpoint(endpoint, facts, switches),
      };
    }),
  );
}

type Usable = (endpoint: Endpoint) => boolean;

/** The conditions of use, each of which asks of the proxy only what it needs, and only where it matters. */
function usableBy(read: MeshRead, choice: EndpointChoice, shards: readonly EndpointShard[]): Usable {
  const { service, resolvesNames } = choice;
  const switches = features(read);
  const conditions: Usable[] = [({ health }) => health !== 'terminating', ...(choice.only ? [choice.only] : [])];
  if (service.kubernetes?.nodeLocal) {
    const node = read.fact(metadataText, 'nodeName');
    conditions.push(({ nodeName }) => nodeName === node);
  }
  const view = read.fact(networkView);
  if (view !== '') {
    const visible = new Set(['', ...view.split(',')]);
    conditions.push((endpoint) => visible.has(endpoint.network));
  }
  const restricted = read(isClusterLocal, service.hostname);
  if (restricted || shards.some((shard) => shard.endpoints.some(({ clusterLocal }) => clusterLocal))) {
    const own = read.fact(proxyCluster);
    conditions.push((endpoint) =>
      restricted ? endpoint.cluster === own : !endpoint.clusterLocal || own === '' || endpoint.cluster === own,
    );
  }
  if (!includesUnhealthy(service, choice.policy, switches)) conditions.push(({ health }) => health !== 'unhealthy');
  const draining = Boolean(service.labels[switches.persistentSessionLabel]);
  if (!draining) conditions.push((endpoint) => !isDraining(endpoint, switches));
  conditions.push((endpoint) => addressable(read, endpoint, resolvesNames));
  return (endpoint) => conditions.every((holds) => holds(endpoint));
}

/** Envoy can be told of addresses and sockets only; an endpoint without either is reached through a gateway. */
function addressable(read: MeshRead, { addresses }: Endpoint, resolvesNames: boolean): boolean {
  const first = addresses[0] ?? '';
  if (first === '') return read(gatewaysBetweenNetworks, resolvesNames).all.length > 0;
  return isUnixAddress(first) ? isSocketPath(first) : resolvesNames || isIpAddress(first);
}

/** Under which namespace and labels telemetry sees the endpoint: of services outside the mesh, those of the service. */
function seenAs(
  read: MeshRead,
  service: Service,
  endpoint: Endpoint,
): { readonly namespace: string; readonly labels: Labels } {
  const { namespace, labels } = endpoint;
  if (!service.meshExternal || !features(read).canonicalServiceForExternal) return { namespace, labels };
  const name = service.labels[CANONICAL_NAME];
  return {
    namespace: service.namespace,
    labels:
      name === undefined
        ? labels
        : { ...labels, [CANONICAL_NAME]: name, [CANONICAL_REVISION]: service.labels[CANONICAL_REVISION] ?? '' },
  };
}

const CANONICAL_NAME = 'service.istio.io/canonical-name';
const CANONICAL_REVISION = 'service.istio.io/canonical-revision';
