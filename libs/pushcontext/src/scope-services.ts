import type { MeshRead } from '@kedge/config';
import { join, query } from '@kedge/incremental';
import { type Hostname, isVisibleTo, type Service } from '@kedge/model';
import { servicesOfHost } from '@kedge/registry';
import {
  egressHosts,
  egressTexts,
  egressVirtualServices,
  importedServices,
  matchedPort,
  onlyPorts,
} from './egress-imports.ts';
import { alike, sameMembers } from './equality.ts';
import { namespaceAmong } from './namespace-among.ts';
import { compareAge, compareText } from './precedence.ts';
import { configNamespace, nodeType } from './proxy-facts.ts';
import { ScopedServices } from './scoped-services.ts';
import { sidecarOf } from './sidecar.ts';
import { egressListeners } from './sidecar-scope.ts';
import { viewpoint } from './viewpoint.ts';
import type { Destination } from './virtual-service-destinations.ts';
import { destinationsFor } from './virtual-services.ts';
import { publicLast, visibleServices } from './visible-services.ts';

/* The services of a proxy's scope: those that its egress listeners import, and those that the VirtualServices of these lead
   to. All is decided host by host, so that a change of one service is not felt by the others. */

/** Where the VirtualServices of a listener lead, by host, those that count first first. */
const listenerDestinations = query(
  'listenerDestinations',
  (read: MeshRead, view: string, text: string): ReadonlyMap<Hostname, readonly Destination[]> => {
    const routes = read(egressVirtualServices, view, text);
    return Map.groupBy(
      routes.flatMap((route) => destinationsFor(read, route, view)),
      ({ host }) => host,
    );
  },
  alike,
);

/**
 * What the proxy sees under a host name: one service, or several where they serve different ports in different ways. Asks of
 * the proxy only what makes a difference for the host, so that most are the same for all.
 */
export const scopeServicesOfHost = query(
  'scopeServicesOfHost',
  (read: MeshRead, host: Hostname): readonly Service[] => {
    const candidates = read(servicesOfHost, host);
    const sidecar = read(sidecarOf);
    const namespace = sidecar ? read.fact(configNamespace) : namespaceAmong(read, concerned(candidates));
    const visible = publicLast(candidates.filter(({ exportTo }) => isVisibleTo(exportTo, namespace)));
    const scoped = new ScopedServices();
    if (read.fact(nodeType) !== 'sidecar') {
      for (const service of visible) scoped.add(service);
      return scoped.list();
    }
    for (const text of egressTexts(sidecar)) {
      const port = matchedPort(text);
      const imported = importedServices(visible, read(egressHosts, namespace, text), namespace, port);
      for (const service of imported) scoped.add(service);
      // Where all that there is was asked for, nothing is left to come in otherwise.
      if (candidates.length === 1 && imported[0] === candidates[0]) continue;
      // These never displace a service that was asked for.
      for (const destination of read(listenerDestinations, read(viewpoint), text).get(host) ?? []) {
        for (const service of destinationServices(candidates, destination, namespace, port)) scoped.add(service);
      }
    }
    return scoped.list();
  },
  alike,
);

/** The namespaces for whose proxies a host may mean something else than for others. */
function concerned(candidates: readonly Service[]): readonly string[] {
  if (candidates.length === 1 && candidates[0]?.exportTo === '*') return [];
  return candidates.flatMap(({ namespace, exportTo }) => (exportTo === '*' ? namespace : [namespace, ...exportTo]));
}

/** The services of a destination in the namespace that counts: the proxy's, one of Kubernetes, or else that of the oldest. */
function destinationServices(
  candidates: readonly Service[],
  { ports }: Destination,
  namespace: string,
  listenerPort: number | undefined,
): readonly Service[] {
  const visible = candidates.filter(({ exportTo }) => isVisibleTo(exportTo, namespace));
  const chosen =
    candidates.find((candidate) => candidate.namespace === namespace) ??
    visible
      .filter(({ provider }) => provider === 'Kubernetes')
      .toSorted((a, b) => compareText(a.namespace, b.namespace))[0] ??
    visible.toSorted(compareAge)[0];
  const wanted = listenerPort === undefined ? ports : new Set([listenerPort]);
  return candidates
    .filter((candidate) => candidate.namespace === chosen?.namespace && candidate.provider === chosen.provider)
    .map((service) => (wanted === 'all' ? service : onlyPorts(service, wanted)))
    .filter((service) => service !== undefined);
}

/** The hosts of the scope, in the order in which they came into it. */
const scopeHosts = query(
  'scopeHosts',
  (read: MeshRead): readonly Hostname[] => {
    const view = read(viewpoint);
    if (read.fact(nodeType) !== 'sidecar') return unique(read(visibleServices, view).map(({ hostname }) => hostname));
    const texts = egressTexts(read(sidecarOf));
    const egress = read(egressListeners);
    return unique(
      egress.flatMap(({ services }, at) => [
        ...services.map(({ hostname }) => hostname),
        ...read(listenerDestinations, view, texts[at] ?? '').keys(),
      ]),
    );
  },
  sameMembers,
);

const unique = (hosts: readonly Hostname[]): readonly Hostname[] => [...new Set(hosts)];

/** The services of a scope; one a host, mostly. */
export const scopeServices = join(
  'scopeServices',
  scopeHosts,
  scopeServicesOfHost,
  (found) => found.flat(),
  sameMembers,
);
