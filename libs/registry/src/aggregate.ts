import { deepEqual, type MeshRead, proxyCluster, SINGLE } from '@kedge/config';
import { derivedFact, query, source } from '@kedge/incremental';
import type { EndpointShard, Hostname, Service } from '@kedge/model';
import { compareServices } from './order.ts';
import { mergeServices } from './merge-services.ts';
import { sameItems } from './same-items.ts';
import type { NetworkGateway, ProxyWorkload, ServiceRegistry, ServiceTarget } from './service-registry.ts';

/** The registries in use, under the key {@link SINGLE}. The one of the control plane's own cluster comes first. */
export const registriesSource = source<readonly ServiceRegistry[]>('registries', sameItems);

const registries = (read: MeshRead): readonly ServiceRegistry[] => read.get(registriesSource, SINGLE) ?? [];

/** Every service of the mesh, oldest first; a host that several clusters define is one service. */
export const services = query(
  'services',
  (read: MeshRead): readonly Service[] =>
    mergeServices(registries(read).flatMap((registry) => read(registry.services))).sort(compareServices),
  sameItems,
);

/** The services of a host, of all namespaces, oldest first. */
export const servicesOfHost = query(
  'servicesOfHost',
  (read: MeshRead, host: Hostname): readonly Service[] =>
    mergeServices(registries(read).flatMap((registry) => read(registry.servicesOfHost, host))).sort(compareServices),
  deepEqual,
);

/** The services of a host in one namespace, oldest first: several where several objects define it. */
export const servicesOfKey = query(
  'servicesOfKey',
  (read: MeshRead, host: Hostname, namespace: string): readonly Service[] =>
    read(servicesOfHost, host).filter((service) => service.namespace === namespace),
  sameItems,
);

/** The endpoints of a host in a namespace, sharded by (provider, cluster); shards without endpoints are left out. */
export const endpointShards = query(
  'endpointShards',
  (read: MeshRead, host: Hostname, namespace: string): readonly EndpointShard[] =>
    registries(read).flatMap(({ provider, cluster, endpoints }) => {
      const found = read(endpoints, host, namespace);
      return found.length > 0 ? [{ provider, cluster, endpoints: found }] : [];
    }),
  deepEqual,
);

/** A registry of Kubernetes knows only the proxies of its own cluster; every other one may know any. */
const knows = (read: MeshRead, { provider, cluster }: ServiceRegistry): boolean => {
  if (provider !== 'Kubernetes') return true;
  const own = read.fact(proxyCluster);
  return own === '' || own === cluster;
};

/**
 * What the asking proxy serves, in the order in which the services were created, then by host. Proxies that serve the same
 * share whatever follows from it.
 */
export const serviceTargets = derivedFact(
  'serviceTargets',
  (read: MeshRead): readonly ServiceTarget[] =>
    registries(read)
      .filter((registry) => knows(read, registry))
      .flatMap((registry) => read(registry.serviceTargets))
      .sort((a, b) => compareTargets(a.service, b.service)),
  (targets) => JSON.stringify(targets),
);

function compareTargets(a: Service, b: Service): number {
  return a.creationTimestamp - b.creationTimestamp || (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0);
}

/** The workload of the asking proxy, if any registry knows it. */
export const proxyWorkload = query(
  'proxyWorkload',
  (read: MeshRead): ProxyWorkload | undefined => {
    for (const registry of registries(read)) {
      const own = read.fact(proxyCluster);
      if (own !== '' && own !== registry.cluster) continue;
      const workload = read(registry.proxyWorkload);
      if (workload) return workload;
    }
    return undefined;
  },
  deepEqual,
);

/** The gateways between networks that follow from services, in a fixed order. */
export const networkGateways = query(
  'networkGateways',
  (read: MeshRead): readonly NetworkGateway[] => {
    const all = registries(read).flatMap((registry) => read(registry.networkGateways));
    const byText = new Map(all.map((gateway) => [gatewayText(gateway), gateway]));
    return [...byText.keys()].sort().map((text) => byText.get(text) as NetworkGateway);
  },
  deepEqual,
);

const gatewayText = ({ network, cluster, address, port, hbonePort }: NetworkGateway): string =>
  [network, cluster, address, port, hbonePort].join('\u0000');
