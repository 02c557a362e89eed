import { isIPv6 } from 'node:net';

/**
 * The address that connections to the workload come from. Redirection leaves connections from it alone, where others of the
 * proxy's own would end at Envoy.
 */
export function sourceAddress(host: string): string {
  return isIPv6(host) ? '::6' : '127.0.0.6';
}
