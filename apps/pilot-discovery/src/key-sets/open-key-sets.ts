import { readFileSync } from 'node:fs';
import type { ConfigSource } from '@kedge/config';
import type { Features } from '@kedge/model';
import { keyFetcher } from '@kedge/networking';
import type { Logger } from '@kedge/observability';
import { type SecuritySettings, textFetcher } from '@kedge/security';
import type { DiscoveryMetrics } from '../metrics.ts';
import { KeySets } from './key-sets.ts';

/** Roots of servers of keys, beside those of the system. */
const EXTRA_ROOTS = '/cacerts/extra.pem';

export interface KeySetsSubject {
  readonly source: ConfigSource;
  readonly features: Features;
  readonly settings: SecuritySettings;
  readonly metrics: DiscoveryMetrics;
  readonly log: Logger;
}

/** Fetches the keys that proxies don't fetch themselves. */
export function openKeySets({ source, features, settings, metrics, log }: KeySetsSubject): KeySets {
  const proxiesFetch = keyFetcher(features.remoteJwks) === 'envoy';
  const { blockedCidrs: blocked, insecureJwks: insecure, jwksRefreshInterval: refreshInterval } = settings;
  return new KeySets({
    source,
    concerns: ({ jwksUri }) => !(proxiesFetch && jwksUri),
    refreshInterval,
    fetchText: textFetcher({ blocked, insecure, extraRoots: textOrNothing(EXTRA_ROOTS) }),
    observe: ({ url, problem }) => {
      if (problem === undefined) return metrics.pilot_jwks_resolver_network_fetch_success_total.increment();
      metrics.pilot_jwks_resolver_network_fetch_fail_total.increment();
      log.warn('keys that tokens are verified by could not be fetched', { url, problem });
    },
  });
}

function textOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
