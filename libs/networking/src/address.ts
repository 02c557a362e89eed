import type { Address } from '@kedge/envoy-api';

const UNIX_SCHEME = 'unix://';

/** Whether an address means the path of a Unix domain socket: by scheme, or as an abstract name. */
export function isUnixAddress(address: string): boolean {
  return address.startsWith(UNIX_SCHEME) || address.startsWith('@') || address.startsWith('/');
}

/** As the kernel takes it. */
const MAX_PATH_BYTES = 107;

/** The path in an address that means one. */
const pathOf = (address: string): string =>
  address.startsWith(UNIX_SCHEME) ? address.slice(UNIX_SCHEME.length) : address;

/** Whether a socket can have the path of an address. */
export function isSocketPath(address: string): boolean {
  const path = pathOf(address);
  return path !== '' && Buffer.byteLength(path) <= MAX_PATH_BYTES;
}

/** An IP address or host name with a port, or `unix://PATH`, as Envoy writes it. */
export function envoyAddress(address: string, port: number): Address {
  if (isUnixAddress(address)) return { pipe: { path: pathOf(address) } };
  return { socketAddress: { address, portValue: port } };
}
