import { type MeshRead, objectKey } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { ConfigOf } from '@kedge/model';
import { serviceTargets, type ServiceTarget } from '@kedge/registry';
import { alike, sameMembers } from './equality.ts';
import { mergeGateways, type MergedGateway, type MergedServer } from './merge-gateways.ts';
import { features } from './mesh.ts';
import { compareAge } from './precedence.ts';
import { configNamespace } from './proxy-facts.ts';
import { proxyMatches } from './proxy-workload.ts';
import { allGateways, gatewayConfig } from './translations.ts';

type GatewayConfig = ConfigOf<'Gateway'>;

/* Annotations of Gateways that were made from Gateway API objects. */
/** The services that lead to the gateway, separated by commas; in place of a selector. */
const SERVICES = 'internal.istio.io/gateway-service';
const PARENT_NAMESPACE = 'internal.istio.io/parent-namespace';
const SERVICE_ACCOUNT = 'internal.istio.io/service-account-name';
const SEMANTICS = 'internal.istio.io/gateway-semantics';

/** A service with this label doesn't lead from its ports to other ones of the workload. */
const NO_TRANSLATION = 'experimental.istio.io/disable-gateway-port-translation';

/** Gateways that proxies of a namespace may be selected by (empty: of any), the oldest first. */
const gatewaysByAge = query(
  'gatewaysByAge',
  (read: MeshRead, namespace: string): readonly GatewayConfig[] =>
    allGateways(read)
      .filter((gateway) => namespace === '' || gateway.namespace === namespace)
      .sort(compareAge),
  sameMembers,
);

/**
 * The keys of the Gateways that select the proxy, the oldest first, separated by commas: as a text, for proxies that come to
 * the same ones by different facts share what follows.
 */
const selectedKeys = query('selectedGatewayKeys', (read: MeshRead): string => {
  const { scopeGatewayToNamespace, strictGatewayMerging } = features(read);
  const namespace = scopeGatewayToNamespace ? read.fact(configNamespace) : '';
  const selected = read(gatewaysByAge, namespace).filter((gateway) => selects(read, gateway));
  const counting = strictGatewayMerging ? withoutForeign(selected) : selected;
  return counting.map(({ namespace: own, name }) => objectKey(own, name)).join(',');
});

/** The Gateways that select the proxy, the oldest first. */
export function selectedGateways(read: MeshRead): readonly GatewayConfig[] {
  const keys = read.by(selectedKeys);
  return keys
    .split(',')
    .filter(Boolean)
    .map((key) => gatewayConfig(read, key))
    .filter((gateway) => gateway !== undefined);
}

function selects(read: MeshRead, gateway: GatewayConfig): boolean {
  const services = servicesKey(gateway);
  return services === '' ? proxyMatches(read, gateway.spec.selector) : read.by(isTarget, services);
}

/**
 * Workloads that are managed for a Gateway of the Gateway API hold its credentials, so Gateways of other namespaces that
 * select them by their labels don't count.
 */
function withoutForeign(gateways: readonly GatewayConfig[]): readonly GatewayConfig[] {
  const ofGatewayApi = ({ annotations }: GatewayConfig): boolean => annotations[SEMANTICS] === 'gateway';
  const managed = gateways.filter((gateway) => ofGatewayApi(gateway) && gateway.annotations[SERVICE_ACCOUNT]);
  if (managed.length === 0) return gateways;
  const namespaces = new Set(managed.map(({ namespace }) => namespace));
  return gateways.filter((gateway) => ofGatewayApi(gateway) || namespaces.has(gateway.namespace));
}

/** The targets that lead to the gateway: all, or those of the services (`namespace/host,host`) that it is tied to. */
function targetsOf(read: MeshRead, services: string): readonly ServiceTarget[] {
  const targets = read(serviceTargets);
  if (services === '') return targets;
  const [namespace, hosts = ''] = services.split('/');
  const known = new Set(hosts.split(','));
  return targets.filter(({ service }) => service.namespace === namespace && known.has(service.hostname));
}

const isTarget = query('gatewayIsTarget', (read: MeshRead, services: string) => targetsOf(read, services).length > 0);

/**
 * Where the workload listens for a port of a Gateway, as a text of numbers separated by commas. A Gateway that is tied to
 * services has exactly their ports. One that selects workloads means the first service that has the port, or else the
 * workload's own port of that number.
 */
const listenPorts = query('gatewayListenPorts', (read: MeshRead, number: number, services: string): string => {
  const targets = targetsOf(read, services).filter(({ port }) => port.port === number);
  if (services !== '') {
    const ports = new Set(targets.map(({ targetPort }) => targetPort));
    return [...ports].sort((a, b) => a - b).join(',');
  }
  const first = targets.find(({ service }) => service.labels[NO_TRANSLATION] === undefined);
  return String(first?.targetPort ?? number);
});

const servesUdp = query('gatewayServesUdp', (read: MeshRead, number: number, services: string): boolean =>
  targetsOf(read, services).some(({ port }) => port.port === number && port.protocol === 'UDP'),
);

function servicesKey({ namespace, annotations }: GatewayConfig): string {
  const services = annotations[SERVICES];
  return services === undefined ? '' : `${annotations[PARENT_NAMESPACE] || namespace}/${services}`;
}

/** What the Gateways that select the proxy come to. Proxies with the same Gateways and ports share it. */
export const mergedGateway = query(
  'mergedGateway',
  (read: MeshRead): MergedGateway => {
    const { quicListeners } = features(read);
    const placements = selectedGateways(read).map((config) => {
      const services = servicesKey(config);
      return {
        config,
        ports: (number: number) => read.by(listenPorts, number, services).split(',').filter(Boolean).map(Number),
        servesUdp: (number: number) => read.by(servesUdp, number, services),
      };
    });
    return mergeGateways(placements, quicListeners);
  },
  alike,
);

/** The servers whose routes have a name. */
export const serversOfRoute = query(
  'gatewayServersOfRoute',
  (read: MeshRead, name: string): readonly MergedServer[] =>
    read
      .by(mergedGateway)
      .listeners.flatMap(({ servers }) => servers)
      .filter((server) => server.routeName === name),
  alike,
);

/** The hosts to which the proxy passes on mutual TLS of other networks, by the SNI; empty where it does no such thing. */
export const autoPassthroughHosts = query(
  'autoPassthroughHosts',
  (read: MeshRead): readonly string[] => {
    const servers = read.by(mergedGateway).listeners.flatMap((listener) => listener.servers);
    return [...new Set(servers.filter(({ kind }) => kind === 'auto-passthrough').flatMap(({ hosts }) => hosts))].sort();
  },
  alike,
);
