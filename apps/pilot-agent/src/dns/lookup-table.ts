import { isIPv4, isIPv6 } from 'node:net';
import type { NameTable } from '@kedge/envoy-api';

/** From where names are looked up. */
export interface NameScope {
  /** The namespace of the proxy, whose services have short names. */
  readonly namespace: string;
  /** The DNS domain of the proxy's cluster, such as `svc.cluster.local`. */
  readonly domain: string;
  /** The first search domain of the applications' resolver, by which they expand every name that they try. */
  readonly search?: string;
}

export interface Addresses {
  readonly v4: readonly string[];
  readonly v6: readonly string[];
}

export interface Found {
  /** The name without the search domain, where that was found instead. */
  readonly alias?: string;
  readonly addresses: Addresses;
}

type NameInfo = NonNullable<NameTable['table']>[string];

/** The name of the service registry whose names have short forms. */
const kubernetes = 'Kubernetes';

/**
 * The names of the mesh with all of their forms. Names are in lower case without the last dot; a wildcard is `*.DOMAIN`.
 *
 * An application tries `www.example.com.shop.svc.cluster.local` before `www.example.com`. That is answered as an alias of the
 * latter, which spares it the other tries and the name servers the requests.
 */
export class LookupTable {
  readonly #names: ReadonlyMap<string, Addresses>;
  readonly #search: string;

  constructor({ table = {} }: NameTable, scope: NameScope) {
    const names = new Map<string, Addresses>();
    for (const [host, info] of Object.entries(table)) {
      const addresses = byFamily(info.ips ?? []);
      if (addresses.v4.length + addresses.v6.length === 0) continue;
      for (const name of formsOf(host, info, scope)) names.set(name, addresses);
    }
    this.#names = names;
    this.#search = scope.search ? `.${scope.search}` : '';
  }

  /** What is known of a name; undefined if nothing is, while addresses of one family alone mean that there are no others. */
  find(name: string): Found | undefined {
    const whole = this.#names.get(name);
    if (whole) return { addresses: whole };
    const alias = this.#search && name.endsWith(this.#search) ? name.slice(0, -this.#search.length) : '';
    const short = alias ? (this.#names.get(alias) ?? this.#wildcard(alias)) : undefined;
    if (short) return { alias, addresses: short };
    const wild = this.#wildcard(name);
    return wild && { addresses: wild };
  }

  /** All names with their addresses, sorted. */
  entries(): readonly (readonly [name: string, addresses: Addresses])[] {
    return [...this.#names].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The most specific wildcard that matches. */
  #wildcard(name: string): Addresses | undefined {
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const found = this.#names.get(`*${name.slice(dot)}`);
      if (found) return found;
    }
    return undefined;
  }
}

function byFamily(ips: readonly string[]): Addresses {
  // An address with a zone is one of this host alone.
  return { v4: ips.filter((ip) => isIPv4(ip)), v6: ips.filter((ip) => isIPv6(ip) && !ip.includes('%')) };
}

/**
 * The forms of a name. Those of a Kubernetes service are short where it is in the proxy's own domain: names without a domain
 * say nothing of the cluster.
 */
function formsOf(host: string, info: NameInfo, { namespace, domain }: NameScope): readonly string[] {
  const forms = [host];
  const { shortname, namespace: own } = info;
  if (info.registry === kubernetes && domain && host.endsWith(domain)) {
    const [service] = domain.split('.');
    forms.push(`${shortname}.${own}`, `${shortname}.${own}.${service}`, ...(info.altHosts ?? []));
    if (own === namespace && shortname) forms.push(shortname);
  }
  return forms.map((name) => (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase());
}
