import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { hostCovers, type Hostname, hostLookupOrder, isWildcardHost } from '@kedge/model';
import { configNamespace, type MergedServer, type VirtualServiceHead, virtualServicesFor } from '@kedge/pushcontext';

/** A VirtualService that a server serves, and the hosts that both have: of two that overlap, the narrower. */
export interface BoundHosts {
  readonly head: VirtualServiceHead;
  readonly hosts: readonly Hostname[];
}

/** The VirtualServices on a Gateway, found by their hosts: the cost of a look-up follows the labels of a host. */
class ServicesByHost {
  readonly #heads: readonly VirtualServiceHead[];
  /** Positions in the list of heads. */
  readonly #positions = new Map<Hostname, number[]>();

  constructor(heads: readonly VirtualServiceHead[]) {
    this.#heads = heads;
    for (const [position, { hosts }] of heads.entries()) {
      for (const host of hosts) {
        const present = this.#positions.get(host);
        if (present) present.push(position);
        else this.#positions.set(host, [position]);
      }
    }
  }

  /** Those with a host in common with the server, in the order in which they count. */
  on({ hosts: entries }: Pick<MergedServer, 'hosts'>): readonly BoundHosts[] {
    const found = new Map<number, Set<Hostname>>();
    for (const entry of entries) {
      const slash = entry.indexOf('/');
      const host = entry.slice(slash + 1);
      for (const [name, positions] of this.#overlapping(host)) {
        const narrower = hostCovers(host, name) ? name : host;
        for (const position of positions) {
          if (slash >= 0 && this.#heads[position]?.namespace !== entry.slice(0, slash)) continue;
          const common = found.get(position);
          if (common) common.add(narrower);
          else found.set(position, new Set([narrower]));
        }
      }
    }
    return [...found]
      .sort(([a], [b]) => a - b)
      .flatMap(([position, hosts]) => {
        const head = this.#heads[position];
        return head ? [{ head, hosts: [...hosts] }] : [];
      });
  }

  *#overlapping(host: Hostname): Generator<readonly [Hostname, readonly number[]]> {
    for (const name of hostLookupOrder(host)) {
      const positions = this.#positions.get(name);
      if (positions) yield [name, positions];
    }
    if (!isWildcardHost(host)) return;
    for (const [name, positions] of this.#positions) {
      if (name !== host && hostCovers(host, name)) yield [name, positions];
    }
  }
}

const servicesByHost = query(
  'gatewayServicesByHost',
  (read: MeshRead, namespace: string, gateway: string) =>
    new ServicesByHost(read(virtualServicesFor, namespace, gateway)),
);

/** The VirtualServices that a server serves, in the order in which they count. */
export function boundHosts(read: MeshRead, server: Pick<MergedServer, 'gateway' | 'hosts'>): readonly BoundHosts[] {
  return read(servicesByHost, read.fact(configNamespace), server.gateway).on(server);
}
