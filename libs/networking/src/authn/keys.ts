import { formatDuration, type JWTRule } from '@kedge/model';
import { outboundClusterName } from '../clusters/cluster-name.ts';
import { parseJwksUri } from './jwks-uri.ts';
import type { Keys } from './jwt-filter.ts';

/** Who fetches keys: the control plane, Envoy where the server is in the mesh, or always Envoy. */
export type KeyFetcher = 'control-plane' | 'hybrid' | 'envoy';

const FETCHERS: Readonly<Record<string, KeyFetcher>> = { hybrid: 'hybrid', true: 'hybrid', envoy: 'envoy' };

/** Reads the switch, which takes old names too. */
export const keyFetcher = (text: string): KeyFetcher => FETCHERS[text] ?? 'control-plane';

export interface KeyLookups {
  readonly fetcher: KeyFetcher;
  /** The keys that the control plane fetched; undefined where it has none. */
  readonly fetched: (rule: JWTRule) => string | undefined;
  /** The cluster of a service of the mesh. */
  readonly clusterOf: (host: string, port: number) => string | undefined;
}

/** Milliseconds. */
const DEFAULT_TIMEOUT = 5_000;
const CACHE_DURATION = 300_000;

/** Where the keys of a rule come from; undefined where the control plane should have them and hasn't. */
export function keysOf(rule: JWTRule, lookups: KeyLookups): Keys | undefined {
  const { jwksUri = '', jwks = '', timeout = DEFAULT_TIMEOUT } = rule;
  if (jwksUri === '' || lookups.fetcher === 'control-plane') return inline(jwks || lookups.fetched(rule));
  const { host = '', port = 0 } = parseJwksUri(jwksUri) ?? {};
  const known = lookups.clusterOf(host, port);
  // Without a cluster the fetch fails, and so do all tokens of the issuer.
  const cluster = known ?? (lookups.fetcher === 'envoy' ? outboundClusterName(host, port) : undefined);
  if (cluster === undefined) return inline(lookups.fetched(rule));
  return {
    remoteJwks: {
      httpUri: { uri: jwksUri, cluster, timeout: formatDuration(timeout) },
      cacheDuration: formatDuration(CACHE_DURATION),
    },
  };
}

const inline = (keys: string | undefined): Keys | undefined =>
  keys === undefined ? undefined : { localJwks: { inlineString: keys } };

/**
 * Stands in for keys that are not there: a public key without a private one, by which no token is valid. Letting the issuer out
 * would let its tokens pass unseen where another rule accepts the request. Proxies of Istio know the same key.
 */
export const KEYS_OF_NOBODY: Keys = {
  localJwks: {
    inlineString: JSON.stringify(
      {
        keys: [
          {
            kty: 'RSA',
            e: 'AQAB',
            n: '0xObjM0UvS_oaazjpEYlAbwctEJ4L8pH3OuTb7qth7gUwqet-EzQB4dgFdvSdMgrLnSncQGRjpEYz3F3viIbH-3EN3TxSlPNviHxeOdyiBVfumN8dMxbLvVJUpfNOnvmMxJcl-8NNjAwcOjk4otSALaYgYYyOPyvKtgVdrQr-FoubWX4yrjxW-MJ2-7OBeepUUNOsVwGV23YX03sVkkyvY3otRflkBcY3_HKpBxJl9wk2GyOShN4_PNUF9-vwfnvOXMbCDX-w4PTef4geeb_GiT40YCKHTKMSPVanGRn5GExIWmki-mmqh94-mPTJyBR74ShspL3BxPZitDL574T1w',
          },
        ],
      },
      null,
      2,
    ),
  },
};
