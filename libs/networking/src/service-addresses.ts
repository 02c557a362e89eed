import { isIPv4, isIPv6 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { EVERY_CLUSTER, type Service, UNSPECIFIED_ADDRESS } from '@kedge/model';
import { clusterId, features, metadataText, nodeType } from '@kedge/pushcontext';
import { type IpFamilies, ipFamilies } from './ip-families.ts';

/**
 * The virtual addresses under which the proxy reaches a service, the primary one first; {@link UNSPECIFIED_ADDRESS} where
 * it has none of its own. Addresses of families that the proxy hasn't got are left out, unless a ServiceEntry states them:
 * they need not lead anywhere.
 */
export function serviceAddresses(read: MeshRead, service: Service): readonly string[] {
  const stated = service.addresses[EVERY_CLUSTER];
  if (stated) return stated;
  const families = read.fact(ipFamilies);
  const own = ownAddresses(read, service);
  const { dualStack, ambient } = features(read);
  const keepAll = (dualStack || ambient) && families === 'dual';
  const usable = keepAll ? own : ofFamilies(own, families);
  if (usable.length > 0) return usable;
  if (service.defaultAddress === '') return [];
  // The default address of a service of another cluster is that cluster's: of no use where its family isn't.
  const elsewhere = Object.keys(service.addresses).length > 0;
  return elsewhere ? ofFamilies([service.defaultAddress], families) : [service.defaultAddress];
}

/** The address that listeners and routes use first. */
export function primaryServiceAddress(read: MeshRead, service: Service): string {
  const families = read.fact(ipFamilies);
  const [own] = ofFamilies(service.addresses[read.fact(clusterId)] ?? [], families);
  if (own !== undefined) return own;
  if (service.defaultAddress !== UNSPECIFIED_ADDRESS || !usesAutoAllocated(read)) return service.defaultAddress;
  return ofFamilies(service.autoAllocated, families)[0] ?? service.defaultAddress;
}

function ownAddresses(read: MeshRead, service: Service): readonly string[] {
  const own = service.addresses[read.fact(clusterId)] ?? [];
  return own.length === 0 && service.autoAllocated.length > 0 && usesAutoAllocated(read) ? service.autoAllocated : own;
}

/** Made-up addresses lead somewhere only if the proxy's agent answers names with them, or it knows them by itself. */
function usesAutoAllocated(read: MeshRead): boolean {
  const allocated = features(read).ipAutoallocate || Boolean(read.fact(metadataText, 'dnsAutoAllocate'));
  return allocated && (Boolean(read.fact(metadataText, 'dnsCapture')) || read.fact(nodeType) === 'waypoint');
}

/** A proxy of both families, unless it is meant to use both, uses the one that the service names first. */
function ofFamilies(addresses: readonly string[], families: IpFamilies): readonly string[] {
  const [first] = addresses;
  if (first === undefined) return [];
  const wanted = families === 'dual' ? familyOf(first) : families;
  return addresses.filter((address) => familyOf(address) === wanted);
}

/** Of an address or a range of them. */
function familyOf(address: string): IpFamilies | undefined {
  const [ip = ''] = address.split('/', 1);
  return isIPv4(ip) ? 'v4' : isIPv6(ip) ? 'v6' : undefined;
}
