import { type ConfigChange, deepEqual, objectKey, type ObjectOf } from '@kedge/config';
import { type SnapshotEdit, source } from '@kedge/incremental';
import { canonicalHost, type Config, type Hostname, isJsonObject, isKind, isWildcardHost } from '@kedge/model';
import ipaddr from 'ipaddr.js';

type ServiceEntry = ObjectOf<'ServiceEntry'>;

/** Addresses that the mesh made up for the hosts of an entry. */
export type Allocations = Readonly<Record<Hostname, readonly string[]>>;

/** What {@link AddressAllocator} gave, by key of the ServiceEntry; an entry's status goes before it. */
export const allocationsSource = source<Allocations>('allocations', deepEqual);

/**
 * Whether hosts of an entry want an address made up: not if it says its own addresses, passes through to where the
 * connection was bound for, or opts out by label.
 */
export function wantsAddresses({ spec, labels }: ServiceEntry): boolean {
  return (
    spec.addresses.length === 0 &&
    (spec.resolution ?? 'NONE') !== 'NONE' &&
    labels['networking.istio.io/enable-autoallocate-ip']?.toLowerCase() !== 'false'
  );
}

/** The addresses that an entry's status gives its hosts. */
export function statusAddresses({ status }: Pick<Config, 'status'>): Allocations {
  const given = status?.addresses;
  const addresses: Record<Hostname, string[]> = {};
  for (const address of Array.isArray(given) ? given : []) {
    if (!isJsonObject(address) || typeof address.value !== 'string' || typeof address.host !== 'string') continue;
    if (ipaddr.isValid(address.value)) (addresses[canonicalHost(address.host)] ??= []).push(address.value);
  }
  return addresses;
}

export interface AddressRanges {
  /** CIDR, such as `240.240.0.0/16`. */
  readonly ipv4: string;
  readonly ipv6: string;
}

/**
 * Gives hosts of ServiceEntries addresses where nobody writes them into the entries' status: when the mesh runs from a
 * folder. The place of a host in the ranges follows from its name, so it is the same after a restart and in every
 * replica; only where two names meet does the one that came second go to the next free place.
 */
export class AddressAllocator {
  readonly #ranges: AddressRanges;
  readonly #places: number;
  readonly #ownerOf = new Map<number, string>();
  readonly #placeOf = new Map<string, number>();
  /** The hosts of each entry that want addresses. */
  readonly #hostsOf = new Map<string, readonly Hostname[]>();

  constructor(ranges: AddressRanges) {
    this.#ranges = ranges;
    const [, prefix] = ipaddr.parseCIDR(ranges.ipv4);
    // The first and the last address of a range are no host's.
    this.#places = Math.max(0, 2 ** (32 - prefix) - 2);
  }

  /** Writes what changes of objects do to the allocations into the same edit. */
  apply(edit: SnapshotEdit, changes: readonly Pick<ConfigChange, 'key' | 'new'>[]): void {
    const entries = changes
      .filter(({ key }) => key.kind === 'ServiceEntry')
      .map(({ key, new: now }) => ({ key: objectKey(key.namespace, key.name), hosts: wanted(now) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    for (const { key, hosts } of entries) {
      for (const host of this.#hostsOf.get(key) ?? []) if (!hosts.includes(host)) this.#release(`${key} ${host}`);
      if (hosts.length > 0) this.#hostsOf.set(key, hosts);
      else this.#hostsOf.delete(key);
    }
    for (const { key, hosts } of entries) {
      const given = hosts.flatMap((host) => {
        const place = this.#place(`${key} ${host}`);
        return place === undefined ? [] : [[host, this.#addressesAt(place)] as const];
      });
      edit.set(allocationsSource, key, given.length > 0 ? Object.fromEntries(given) : undefined);
    }
  }

  #release(owner: string): void {
    const place = this.#placeOf.get(owner);
    if (place === undefined) return;
    this.#placeOf.delete(owner);
    this.#ownerOf.delete(place);
  }

  /** Undefined where the range is full. */
  #place(owner: string): number | undefined {
    const held = this.#placeOf.get(owner);
    if (held !== undefined) return held;
    if (this.#ownerOf.size >= this.#places) return undefined;
    let place = hash(owner) % this.#places;
    while (this.#ownerOf.has(place)) place = (place + 1) % this.#places;
    this.#ownerOf.set(place, owner);
    this.#placeOf.set(owner, place);
    return place;
  }

  #addressesAt(place: number): readonly string[] {
    return [addressIn(this.#ranges.ipv4, place + 1), addressIn(this.#ranges.ipv6, place + 1)];
  }
}

function wanted(object: Config | undefined): readonly Hostname[] {
  if (!object || !isKind(object, 'ServiceEntry') || !wantsAddresses(object)) return [];
  const given = statusAddresses(object);
  const hosts = new Set(object.spec.hosts.map(canonicalHost));
  return [...hosts].filter((host) => !isWildcardHost(host) && !given[host]);
}

/** FNV-1a, 32 bits. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}

/** The n-th address of a range. */
function addressIn(range: string, offset: number): string {
  const bytes = ipaddr.parseCIDR(range)[0].toByteArray();
  let carry = offset;
  for (let at = bytes.length - 1; at >= 0 && carry > 0; at--) {
    carry += bytes[at] ?? 0;
    bytes[at] = carry % 256;
    carry = Math.floor(carry / 256);
  }
  return ipaddr.fromByteArray(bytes).toString();
}
