import { deepEqual, istioSources, type MeshRead, objectKey, type ObjectOf } from '@kedge/config';
import { join, query } from '@kedge/incremental';
import { canonicalHost, type Hostname, isWildcardHost } from '@kedge/model';
import { isDiscoverable } from '../namespace-scope.ts';
import { sameItems } from '../same-items.ts';
import { serviceEntryKeys } from './entry-keys.ts';

/* Addresses for hosts of ServiceEntries in a mesh where nobody allocates them (PILOT_ENABLE_IP_AUTOALLOCATE is off): they follow
   from the names of the hosts, for proxies that ask for them by DNS_AUTO_ALLOCATE. Where two names meet they follow from what
   else there is, so that all have to be looked at together: the price of this older way, and why it is not the usual one. */

type ServiceEntry = ObjectOf<'ServiceEntry'>;

/** Whether a host has no address of its own, and may be given one. */
function isUnaddressed({ spec }: ServiceEntry, hostname: Hostname): boolean {
  return spec.addresses.length === 0 && (spec.resolution ?? 'NONE') !== 'NONE' && !isWildcardHost(hostname);
}

/** Of an entry, as `namespace/host`. */
const unaddressedHosts = query(
  'unaddressedHosts',
  (read: MeshRead, key: string): readonly string[] => {
    const entry = read.get(istioSources.ServiceEntry, key);
    if (!entry || !read(isDiscoverable, entry.namespace)) return [];
    const hosts = entry.spec.hosts.map(canonicalHost).filter((host) => isUnaddressed(entry, host));
    return hosts.map((host) => objectKey(entry.namespace, host));
  },
  sameItems,
);

const hashedAllocations = join(
  'hashedAllocations',
  serviceEntryKeys,
  unaddressedHosts,
  (hosts) => allocations([...new Set(hosts.flat())]),
  deepEqual,
);

const hashedAddressesOf = query(
  'hashedAddressesOf',
  (read: MeshRead, host: string): readonly string[] => read.by(hashedAllocations)[host] ?? [],
  sameItems,
);

/** The addresses of a host, of each family one; none where it has its own or wants none. */
export function hashedAddresses(read: MeshRead, entry: ServiceEntry, hostname: Hostname): readonly string[] {
  return isUnaddressed(entry, hostname) ? read(hashedAddressesOf, objectKey(entry.namespace, hostname)) : [];
}

/** As many as 240.240.0.0/16 has, without the first and the last of each 256. */
const PLACES = 256 * 254;
/** The largest prime below. */
const PRIME = 65_011;

function allocations(hosts: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const owners = new Map<number, string>();
  for (const host of hosts) {
    const place = freePlace(hash(host), owners);
    if (place !== undefined) owners.set(place, host);
  }
  // The fourth part of an address is never 255: whoever would have it, and all behind, go one further.
  let skipped = 0;
  const given = [...owners].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    given.map(([place, host]) => {
      if ((place + 1 + skipped) % 255 === 0) skipped += 1;
      return [host, addressesAt(place + 1 + skipped)];
    }),
  );
}

/** By double hashing; undefined where all places are taken. */
function freePlace(hashed: number, taken: ReadonlyMap<number, string>): number | undefined {
  const step = PRIME - (hashed % PRIME);
  let place = hashed % PLACES;
  for (let tries = 1; taken.has(place); tries++) {
    if (tries > PLACES) return undefined;
    place = ((hashed + Math.imul(tries, step)) >>> 0) % (PLACES - 1);
  }
  return place;
}

function addressesAt(number: number): readonly string[] {
  const third = Math.floor(number / 255);
  const fourth = number % 255;
  const hex = `${third === 0 ? '' : third.toString(16)}${fourth.toString(16)}`;
  return [`240.240.${third}.${fourth}`, `2001:2::f0f0:${hex}`];
}

/** FNV-1a of 32 bits. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string): number {
  return Buffer.from(text).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
}
