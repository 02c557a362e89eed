import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * The IPs of the workload, its own one first (by which the control plane finds it), then those of the host's interfaces,
 * less the excluded ones; loopback and link-local addresses don't count.
 */
export function instanceIps(
  instanceIp: string,
  excludedInterfaces: readonly string[],
  interfaces: Interfaces = networkInterfaces(),
): readonly string[] {
  const own = isIP(instanceIp) ? [instanceIp] : [];
  const all = Object.entries(interfaces)
    .filter(([name]) => !excludedInterfaces.includes(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ internal, address }) => !internal && !isLinkLocal(address))
    .map(({ address }) => address);
  const found = all.length > 0 ? all : ['127.0.0.1', '::1'];
  return [...new Set([...own, ...found])];
}

function isLinkLocal(address: string): boolean {
  return address.startsWith('169.254.') || /^fe[89ab]/i.test(address);
}
