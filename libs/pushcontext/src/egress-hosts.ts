import { hostCovers, type Hostname, hostsOverlap, isWildcardHost } from '@kedge/model';

/** What one namespace part (`ns`, or `*` for all) of a Sidecar's egress hosts lets in and keeps out. */
interface HostSet {
  readonly exact: ReadonlySet<Hostname>;
  readonly wildcard: readonly Hostname[];
  readonly excluded: readonly Hostname[];
}

/** The hosts of a Sidecar's egress listener, ready for look-up. `.` has been replaced by the Sidecar's namespace. */
export class EgressHosts {
  readonly #byNamespace: ReadonlyMap<string, HostSet>;

  private constructor(byNamespace: ReadonlyMap<string, HostSet>) {
    this.#byNamespace = byNamespace;
  }

  // Entries read `namespace/host`, `./host`, a star for all namespaces, `~/*` for none and `~namespace/host` to leave out.
  static parse(hosts: readonly string[], namespace: string): EgressHosts {
    const sets = new Map<string, { exact: Set<Hostname>; wildcard: Hostname[]; excluded: Hostname[] }>();
    for (const entry of hosts) {
      const slash = entry.indexOf('/');
      if (slash < 0) continue;
      const host = entry.slice(slash + 1).toLowerCase();
      let scope = entry.slice(0, slash);
      const excludes = scope.startsWith('~');
      if (excludes) scope = scope.slice(1) || '*';
      if (scope === '.') scope = namespace;
      let set = sets.get(scope);
      if (!set) sets.set(scope, (set = { exact: new Set(), wildcard: [], excluded: [] }));
      if (excludes) set.excluded.push(host);
      else if (isWildcardHost(host)) set.wildcard.push(host);
      else set.exact.add(host);
    }
    return new EgressHosts(sets);
  }

  /** Whether the service of a namespace is let in. */
  admitsService(host: Hostname, namespace: string): boolean {
    return !this.#excludes(host, namespace) && this.#scopes(namespace).some((set) => covers(set, host));
  }

  /** Which other names of a service, let in under its own name, are let in with it. */
  admittedAliases(host: Hostname, namespace: string, aliases: readonly Hostname[]): readonly Hostname[] {
    const scope = this.#scopes(namespace).find((set) => covers(set, host));
    return scope ? aliases.filter((alias) => covers(scope, alias)) : [];
  }

  /**
   * Whether a VirtualService's host is let in: as for services, but a wildcard host is also let in by a name that it covers,
   * unless `strict`.
   */
  admitsRoute(host: Hostname, namespace: string, strict: boolean): boolean {
    if (this.#excludes(host, namespace)) return false;
    const matches = strict ? hostCovers : hostsOverlap;
    return this.#scopes(namespace).some(
      ({ exact, wildcard }) =>
        exact.has(host) ||
        wildcard.some((wide) => matches(wide, host)) ||
        (!strict && isWildcardHost(host) && [...exact].some((name) => hostCovers(host, name))),
    );
  }

  #excludes(host: Hostname, namespace: string): boolean {
    return this.#scopes(namespace).some(({ excluded }) => excluded.some((out) => hostCovers(out, host)));
  }

  #scopes(namespace: string): readonly HostSet[] {
    return [this.#byNamespace.get(namespace), this.#byNamespace.get('*')].filter((set) => set !== undefined);
  }
}

function covers({ exact, wildcard }: HostSet, host: Hostname): boolean {
  return exact.has(host) || wildcard.some((wide) => hostCovers(wide, host));
}
