import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

/** Addresses at which clouds tell machines their secrets, beside those of the link. */
const metadataServices = ['100.100.100.200', 'fd00:ec2::254'];

/** Addresses that no module is fetched from: whoever may name a URL must not read with the agent's eyes what the host alone may. */
export class BlockedAddresses {
  readonly #list = new BlockList();

  /** @throws Error for a range that is none. */
  constructor(ranges: readonly string[] = []) {
    this.#list.addSubnet('169.254.0.0', 16, 'ipv4');
    this.#list.addSubnet('fe80::', 10, 'ipv6');
    for (const address of metadataServices) this.#list.addAddress(address, isIPv6(address) ? 'ipv6' : 'ipv4');
    for (const range of ranges) this.#add(range);
  }

  #add(range: string): void {
    const [address = '', bits] = range.trim().split('/', 2);
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits ?? '')) throw new Error(`"${range}" is no range of addresses`);
    this.#list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** @throws Error where a host is such an address. Names are checked by `lookup`. */
  check(host: string): void {
    if (isIP(host) !== 0 && this.#list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')) {
      throw new Error(`no module is fetched from ${host}`);
    }
  }

  /** Resolves a name to the addresses that may be called. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      try {
        for (const { address } of addresses) this.check(address);
      } catch (refusal) {
        callback(refusal as NodeJS.ErrnoException, '', 0);
        return;
      }
      if (options.all) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}
