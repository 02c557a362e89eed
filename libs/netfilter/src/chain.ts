/** Tables by their iptables names. The order is that of nft's text. */
export const tables = ['nat', 'mangle', 'raw'] as const;
export type Table = (typeof tables)[number];

/** Where a base chain is hooked in, as nft writes it; it differs by table. */
type Hooks = { readonly [T in Table]?: string };

interface ChainNames {
  readonly nft: string;
  /** Given for the kernel's own chains, which iptables has already and nft declares. */
  readonly hooks?: Hooks;
}

/**
 * The chains by their iptables names. nft declares them in this order; iptables declares them as they come.
 * nft's priorities are the numbers behind its names `dstnat`, `srcnat`, `mangle` and `raw`.
 */
const chainNames = {
  PREROUTING: {
    nft: 'prerouting',
    hooks: {
      nat: 'type nat hook prerouting priority -100 ;',
      mangle: 'type filter hook prerouting priority -150 ;',
      raw: 'type filter hook prerouting priority -300 ;',
    },
  },
  OUTPUT: {
    nft: 'output',
    hooks: {
      nat: 'type nat hook output priority -100 ;',
      // A route chain: a changed mark is routed anew.
      mangle: 'type route hook output priority -150 ;',
      raw: 'type filter hook output priority -300 ;',
    },
  },
  POSTROUTING: { nft: 'postrouting', hooks: { nat: 'type nat hook postrouting priority 100 ;' } },
  ISTIO_DIVERT: { nft: 'istio-divert' },
  ISTIO_TPROXY: { nft: 'istio-tproxy' },
  ISTIO_INBOUND: { nft: 'istio-inbound' },
  ISTIO_DROP: { nft: 'istio-drop' },
  ISTIO_REDIRECT: { nft: 'istio-redirect' },
  ISTIO_IN_REDIRECT: { nft: 'istio-in-redirect' },
  ISTIO_PRERT: { nft: 'istio-prerouting' },
  ISTIO_POSTRT: { nft: 'istio-postrouting' },
  ISTIO_OUTPUT: { nft: 'istio-output' },
  ISTIO_OUTPUT_DNS: { nft: 'istio-output-dns' },
} as const satisfies Record<string, ChainNames>;

export type Chain = keyof typeof chainNames;

export const chains = Object.keys(chainNames) as readonly Chain[];

export function nftChain(chain: Chain): string {
  return chainNames[chain].nft;
}

/** What nft says of a base chain; nothing for a chain of our own. */
export function hookOf(chain: Chain, table: Table): string | undefined {
  const names: ChainNames = chainNames[chain];
  return names.hooks?.[table];
}

/** Whether a chain is ours by its iptables name: all that are, and no others, begin so. */
export function isOwnChain(name: string): boolean {
  return name.startsWith('ISTIO_');
}
