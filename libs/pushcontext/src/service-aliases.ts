import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Hostname, Service } from '@kedge/model';
import { services } from '@kedge/registry';
import { alike } from './equality.ts';
import { compareText } from './precedence.ts';

/**
 * The names that ExternalName services give to other services, by the host that they lead to in the end, sorted by
 * namespace. Names that lead in a circle mean nothing.
 */
export const serviceAliases = query(
  'serviceAliases',
  (read: MeshRead): ReadonlyMap<Hostname, readonly Hostname[]> => {
    const aliases = read(services).filter(({ resolution }) => resolution === 'alias');
    const targets = new Map(aliases.map((service) => [service.hostname, aliasTarget(service)]));
    const found = aliases
      .toSorted((a, b) => compareText(a.namespace, b.namespace) || compareText(a.hostname, b.hostname))
      .map(({ hostname }) => ({ alias: hostname, target: finalTarget(hostname, targets) }))
      .filter(({ target }) => target !== undefined);
    const byTarget = Map.groupBy(found, ({ target }) => target ?? '');
    return new Map([...byTarget].map(([target, members]) => [target, members.map(({ alias }) => alias)]));
  },
  alike,
);

/** The hosts that are names of ExternalName services, in any namespace. */
const aliasHosts = query(
  'aliasHosts',
  (read: MeshRead): ReadonlySet<Hostname> =>
    new Set(
      read(services)
        .filter(({ resolution }) => resolution === 'alias')
        .map(({ hostname }) => hostname),
    ),
  alike,
);

/** Whether a host may stand for another one; which one, and whether it does, is up to the service that a proxy sees. */
export const isAliasHost = (read: MeshRead, host: Hostname): boolean => read(aliasHosts).has(host);

/** The host that an ExternalName service stands for; empty for services that stand for themselves. */
export const aliasTarget = (service: Service): Hostname => service.kubernetes?.externalName ?? '';

function finalTarget(alias: Hostname, targets: ReadonlyMap<Hostname, Hostname>): Hostname | undefined {
  const seen = new Set<Hostname>();
  let host = alias;
  for (let next = targets.get(host); next !== undefined; next = targets.get(host)) {
    if (seen.has(next)) return undefined;
    seen.add(next);
    host = next;
  }
  return host;
}
