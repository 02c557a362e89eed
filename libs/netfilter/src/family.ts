/** The address families of rules: iptables has a program for each, nft one table for both. */
export type Family = 'ipv4' | 'ipv6';

/** Values that differ by family, as addresses do. A rule with one of them exists only in the families that it names. */
export type PerFamily = { readonly [F in Family]?: string };

/** The loopback address proper. What an application sends there isn't redirected. */
export const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' } as const satisfies PerFamily;

/** Where the proxy's passthrough cluster connects from to the application, so that these connections can be told. */
export const passthroughSource = { ipv4: '127.0.0.6/32', ipv6: '::6/128' } as const satisfies PerFamily;
