import type { Address } from '@kedge/envoy-api';

const UNIX_SCHEME = 'unix://';

/** Whether an address means the path of a Unix domain socket: by scheme, or as an abstract name. */
export function isUnixAddress(address: string): boolean {
  return address.startsWith(UNIX_SCHEME) || address.startsWith('@') || address.startsWith('/');
}

/** An IP address or host name with a port, or `unix://PATH`, as Envoy writes it. */
export function envoyAddress(address: string, port: number): Address {
  if (isUnixAddress(address)) {
    return { pipe: { path: address.startsWith(UNIX_SCHEME) ? address.slice(UNIX_SCHEME.length) : address } };
  }
  return { socketAddress: { address, portValue: port } };
}
