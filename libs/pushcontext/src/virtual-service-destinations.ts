import type { Hostname, HTTPRoute, VirtualService } from '@kedge/model';

/** A host that a VirtualService leads to, with the ports that it names, or all where a destination names none. */
export interface Destination {
  readonly host: Hostname;
  readonly ports: ReadonlySet<number> | 'all';
}

interface Target {
  readonly host: string;
  readonly port?: { readonly number?: number };
}

/** The destinations of a VirtualService whose hosts are resolved, as far as proxies of the namespace can be led there. */
export function virtualServiceDestinations(spec: VirtualService, namespace: string): readonly Destination[] {
  const http = spec.http
    .filter((route) => servesNamespace(route, namespace))
    .flatMap((route) => [
      ...route.route.map(({ destination }) => destination),
      route.mirror,
      ...route.mirrors.map(({ destination }) => destination),
    ]);
  const others = [...spec.tcp, ...spec.tls].flatMap(({ route }) => route.map(({ destination }) => destination));
  const ports = new Map<Hostname, Set<number> | 'all'>();
  for (const target of [...http, ...others] as readonly (Target | undefined)[]) {
    if (!target) continue;
    const known = ports.get(target.host);
    if (!target.port?.number || known === 'all') ports.set(target.host, 'all');
    else if (known) known.add(target.port.number);
    else ports.set(target.host, new Set([target.port.number]));
  }
  return [...ports].map(([host, set]) => ({ host, ports: set }));
}

/** Whether any match of the route lets the namespace in; only namespaces can be told at this point. */
function servesNamespace(route: HTTPRoute, namespace: string): boolean {
  const named = route.match.filter(({ sourceNamespace }) => sourceNamespace);
  return named.length === 0 || named.some(({ sourceNamespace }) => sourceNamespace === namespace);
}
