import { isIP } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { derivedFact } from '@kedge/incremental';
import { EVERY_CLUSTER, isTcp, isUndecided, type Service, type ServicePort, UNSPECIFIED_ADDRESS } from '@kedge/model';
import { compareText, ipAddress } from '@kedge/pushcontext';
import { endpointShards } from '@kedge/registry';
import { servesPort } from '../endpoints/service-endpoints.ts';
import { ipFamilies } from '../ip-families.ts';
import { primaryServiceAddress, serviceAddresses } from '../service-addresses.ts';

/** The addresses of a service, each list for a listener of its own. */
export function listenAddresses(read: MeshRead, service: Service): readonly (readonly string[])[] {
  const stated = service.addresses[EVERY_CLUSTER];
  if (stated) return stated.map((address) => [address]);
  const primary = primaryServiceAddress(read, service);
  const own = [primary, ...serviceAddresses(read, service).slice(1)];
  if (primary !== UNSPECIFIED_ADDRESS || service.provider !== 'External') return [own];
  switch (read.fact(ipFamilies)) {
    case 'v4':
      return [own];
    case 'v6':
      return [['::', ...own.slice(1)]];
    case 'dual':
      return [[...own, '::']];
  }
}

/**
 * The addresses of the pods behind a service that has none itself; undefined for services that have one, and for HTTP,
 * which finds its way by names. Connections of a pod to itself need no listener.
 */
export function podAddresses(
  read: MeshRead,
  service: Service,
  port: ServicePort,
): readonly (readonly string[])[] | undefined {
  if (service.resolution !== 'passthrough' || !(isTcp(port.protocol) || isUndecided(port.protocol))) return undefined;
  if (primaryServiceAddress(read, service) !== UNSPECIFIED_ADDRESS) return undefined;
  const { hostname, namespace } = service;
  const endpoints = read(endpointShards, hostname, namespace)
    .flatMap((shard) => shard.endpoints)
    .filter((endpoint) => servesPort(endpoint, port));
  // A ServiceEntry that neither lists nor selects endpoints means whatever address a client connects to.
  if (endpoints.length === 0 && service.provider !== 'Kubernetes' && !service.selector) return undefined;
  const own = read(ownAddressAmong, hostname, namespace);
  return endpoints
    .map(({ addresses }) => addresses)
    .filter(([primary]) => primary !== undefined && primary !== own)
    .filter((addresses) => addresses.every((address) => isIP(address) !== 0))
    .sort(([a = ''], [b = '']) => compareText(a, b));
}

/** The proxy's primary address if it is an endpoint of the service, so that only its endpoints are told apart. */
const ownAddressAmong = derivedFact(
  'ownAddressAmong',
  (read: MeshRead, host: string, namespace: string): string | undefined => {
    const own = read.fact(ipAddress, 0);
    const shards = read(endpointShards, host, namespace);
    return shards.some(({ endpoints }) => endpoints.some(({ addresses }) => addresses[0] === own)) ? own : undefined;
  },
);
