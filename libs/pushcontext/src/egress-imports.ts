import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type ConfigOf, type Hostname, type IstioEgressListener, parseProtocol, type Service } from '@kedge/model';
import { EgressHosts } from './egress-hosts.ts';
import { sameMembers } from './equality.ts';
import { MESH_GATEWAY, virtualServicesFor } from './virtual-services.ts';

/* What an egress listener of a Sidecar lets in. Listeners are told apart by what they say, as JSON: equal ones of several
   Sidecars are one. The empty text is the listener that is there by default, and lets all in. */

/** The egress listeners that count, by a Sidecar or for want of one. */
export function egressTexts(sidecar: ConfigOf<'Sidecar'> | undefined): readonly string[] {
  return sidecar?.spec.egress.length ? sidecar.spec.egress.map((spec) => JSON.stringify(spec)) : [''];
}

export function egressSpec(text: string): IstioEgressListener | undefined {
  return text === '' ? undefined : (JSON.parse(text) as IstioEgressListener);
}

export const egressHosts = query('egressHosts', (_read: MeshRead, namespace: string, text: string) =>
  EgressHosts.parse(egressSpec(text)?.hosts ?? ['*/*'], namespace),
);

/** The VirtualServices that a listener imports, those that count first first. */
export const egressVirtualServices = query(
  'egressVirtualServices',
  (read: MeshRead, namespace: string, text: string) => {
    const hosts = read(egressHosts, namespace, text);
    return read(virtualServicesFor, namespace, MESH_GATEWAY).filter((route) =>
      route.hosts.some((host) => hosts.admitsRoute(host, route.namespace, route.semantics === 'gateway')),
    );
  },
  sameMembers,
);

/** Of services that a namespace may see, those that a listener imports. What is said of a host depends on its services alone. */
export function importedServices(
  visible: readonly Service[],
  hosts: EgressHosts,
  namespace: string,
  port: number | undefined,
): readonly Service[] {
  const services = visible
    .filter((service) => hosts.admitsService(service.hostname, service.namespace))
    .map((service) => (port === undefined ? service : onlyPorts(service, new Set([port]))))
    .filter((service) => service !== undefined);
  return oneNamespacePerHost(services, namespace);
}

/** The port that imported services must have; none for listeners that capture all ports and for HTTP proxies. */
export function matchedPort(text: string): number | undefined {
  const port = egressSpec(text)?.port;
  if (!port?.number || parseProtocol(port.protocol ?? '') === 'HTTP_PROXY') return undefined;
  return port.number;
}

/** The service with these of its ports; undefined where it has none of them. */
export function onlyPorts(service: Service, wanted: ReadonlySet<number>): Service | undefined {
  const ports = service.ports.filter(({ port }) => wanted.has(port));
  if (ports.length === service.ports.length) return service;
  return ports.length > 0 ? { ...service, ports } : undefined;
}

/** Where a host is defined in several namespaces, one is chosen: the proxy's own, else one of Kubernetes, else the first. */
function oneNamespacePerHost(services: readonly Service[], namespace: string): readonly Service[] {
  const chosen = new Map<Hostname, Service>();
  for (const service of services) {
    const current = chosen.get(service.hostname);
    if (!current || outranks(service, current, namespace)) chosen.set(service.hostname, service);
  }
  return services.filter((service) => chosen.get(service.hostname)?.namespace === service.namespace);
}

function outranks(service: Service, current: Service, namespace: string): boolean {
  if (service.namespace === namespace) return true;
  if (current.namespace === namespace) return false;
  return current.provider !== 'Kubernetes' && service.provider === 'Kubernetes';
}
