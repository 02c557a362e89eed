import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Hostname, ObjectRef, TCPRoute, TLSRoute } from '@kedge/model';
import { hostsOverlap } from '@kedge/model';
import {
  alike,
  isOfNamespace,
  MESH_GATEWAY,
  proxyMatches,
  virtualService,
  type VirtualServiceHead,
} from '@kedge/pushcontext';

/** The routes of a VirtualService for connections that are not looked into. */
export interface L4Routes {
  readonly object: ObjectRef;
  readonly tls: readonly TLSRoute[];
  readonly tcp: readonly TCPRoute[];
}

/** Routes without a destination lead nowhere. */
const leadsSomewhere = ({ route }: TCPRoute | TLSRoute): boolean => route.length > 0;

const l4Routes = query(
  'l4Routes',
  (read: MeshRead, namespace: string, name: string): L4Routes | undefined => {
    const found = read(virtualService, namespace, name);
    if (!found) return undefined;
    const tls = found.spec.tls.filter(leadsSomewhere);
    const tcp = found.spec.tcp.filter(leadsSomewhere);
    if (tls.length + tcp.length === 0) return undefined;
    return { object: { kind: 'VirtualService', namespace, name }, tls, tcp };
  },
  alike,
);

/** VirtualServices with such routes, by host. */
export class L4RouteTable {
  readonly #entries: readonly (L4Routes & { readonly hosts: readonly Hostname[] })[];

  private constructor(entries: readonly (L4Routes & { readonly hosts: readonly Hostname[] })[]) {
    this.#entries = entries;
  }

  static of(read: MeshRead, heads: readonly VirtualServiceHead[]): L4RouteTable {
    const entries = heads.flatMap(({ namespace, name, hosts }) => {
      const routes = read(l4Routes, namespace, name);
      return routes ? [{ ...routes, hosts }] : [];
    });
    return new L4RouteTable(entries);
  }

  for(host: Hostname): readonly L4Routes[] {
    return this.#entries.filter(({ hosts }) => hosts.some((other) => hostsOverlap(other, host)));
  }
}

interface StaticMatch {
  readonly port?: number;
  readonly gateways: readonly string[];
  readonly sourceLabels: Readonly<Record<string, string>>;
  readonly sourceNamespace?: string;
}

/** Whether a match is for this proxy and port: what can be told before a connection is there. */
export function matchApplies(read: MeshRead, match: StaticMatch, port: number): boolean {
  return (
    (match.gateways.length === 0 || match.gateways.includes(MESH_GATEWAY)) &&
    (!match.port || match.port === port) &&
    (!match.sourceNamespace || isOfNamespace(read, match.sourceNamespace)) &&
    proxyMatches(read, match.sourceLabels)
  );
}
