import type { PluginConfig } from './config.ts';

/** The result of the plugins before, unchanged: this one adds no interface, address or route. */
export function resultOf({ cniVersion, prevResult }: PluginConfig): Readonly<Record<string, unknown>> {
  return { ...prevResult, cniVersion };
}

/** The pod's addresses that the plugins before gave it, without the lengths of their networks, in their order. */
export function addressesOf({ prevResult }: PluginConfig): readonly string[] {
  const listed = Array.isArray(prevResult?.ips) ? (prevResult.ips as readonly unknown[]) : [];
  const addresses = listed.map((ip) => (ip as { readonly address?: unknown } | null)?.address);
  // Before version 0.3.0 there was one of each family.
  const older = [prevResult?.ip4, prevResult?.ip6].map((of) => (of as { readonly ip?: unknown } | undefined)?.ip);
  return [...addresses, ...older]
    .filter((address) => typeof address === 'string')
    .map((address) => address.replace(/\/\d+$/, ''));
}
