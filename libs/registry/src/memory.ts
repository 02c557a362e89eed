import { deepEqual, type MeshRead } from '@kedge/config';
import { type Index, index, query, type Source, source } from '@kedge/incremental';
import type { Endpoint, Hostname, Provider, Service } from '@kedge/model';
import { proxyAddress } from './proxy-facts.ts';
import { sameItems } from './same-items.ts';
import type { ServiceRegistry, ServiceTarget } from './service-registry.ts';

/** A service with its endpoints, as somebody who knows both states them. */
export interface ServiceInstances {
  readonly service: Service;
  readonly endpoints: readonly Endpoint[];
}

/** A registry whose content is set directly. */
export interface MemoryRegistry extends ServiceRegistry {
  /** Keyed by whatever tells the services apart. */
  readonly instances: Source<ServiceInstances>;
}

/** Makes a registry that holds what is set in its source; the name tells it from others of the process. */
export function memoryRegistry(name: string, provider: Provider = 'Mock', cluster = name): MemoryRegistry {
  const instances = source<ServiceInstances>(name, deepEqual);
  const byHost = index(instances, 'host', ({ service }) => [service.hostname]);
  const byAddress = index(instances, 'address', ({ endpoints }) =>
    endpoints.map(({ addresses }) => addresses[0] ?? ''),
  );
  return {
    provider,
    cluster,
    instances,
    services: query(
      `${name}Services`,
      (read: MeshRead): readonly Service[] => read.all(instances).map(({ service }) => service),
      deepEqual,
    ),
    servicesOfHost: query(
      `${name}ServicesOfHost`,
      (read: MeshRead, host: Hostname): readonly Service[] => read.group(byHost, host).map(({ service }) => service),
      deepEqual,
    ),
    endpoints: query(
      `${name}Endpoints`,
      (read: MeshRead, host: Hostname, namespace: string): readonly Endpoint[] =>
        read
          .group(byHost, host)
          .flatMap(({ service, endpoints }) => (service.namespace === namespace ? endpoints : [])),
      deepEqual,
    ),
    serviceTargets: query(
      `${name}Targets`,
      (read: MeshRead): readonly ServiceTarget[] => targetsAt(read, byAddress, read.fact(proxyAddress)),
      deepEqual,
    ),
    proxyWorkload: query(
      `${name}ProxyWorkload`,
      (read: MeshRead) => {
        const address = read.fact(proxyAddress);
        const found = read
          .group(byAddress, address)
          .flatMap(({ endpoints }) => endpoints)
          .find(({ addresses }) => addresses[0] === address);
        return found && { labels: found.labels, locality: found.locality };
      },
      deepEqual,
    ),
    networkGateways: query(`${name}NetworkGateways`, () => [], sameItems),
  };
}

function targetsAt(read: MeshRead, byAddress: Index<ServiceInstances>, address: string): readonly ServiceTarget[] {
  return read.group(byAddress, address).flatMap(({ service, endpoints }) =>
    endpoints.flatMap(({ addresses, port: targetPort, portName }) => {
      const port = service.ports.find(({ name }) => name === portName);
      return port && addresses[0] === address ? [{ service, port, targetPort }] : [];
    }),
  );
}
