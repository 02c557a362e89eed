import type { MeshRead } from '@kedge/config';
import { validate, type Violation } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import type { Diagnostic, Hostname, Severity } from '@kedge/model';
import {
  alike,
  features,
  jwtRules,
  keySetPlace,
  keySetsSource,
  type PlacedJwtRule,
  requestAuthenticationKeys,
} from '@kedge/pushcontext';
import { ENVOY_RULES } from '../envoy-rules/envoy-rules.ts';
import { filter, type HttpFilter } from '../filters/network-filter.ts';
import { providerCluster } from '../provider-cluster.ts';
import { parseJwksUri } from './jwks-uri.ts';
import { jwtAuthentication, jwtProvider, type JwtProvider } from './jwt-filter.ts';
import { keyFetcher, type KeyLookups, KEYS_OF_NOBODY, keysOf } from './keys.ts';

const PROVIDER = 'envoy.extensions.filters.http.jwt_authn.v3.JwtProvider';

interface JwtFilter {
  readonly filters: readonly HttpFilter[];
  readonly diagnostics: readonly Diagnostic[];
}

const NONE: JwtFilter = { filters: [], diagnostics: [] };

/** The filter for the policies with these keys. */
const jwtFilter = query(
  'jwtFilter',
  (read: MeshRead, clearRouteCache: boolean, keys: string): JwtFilter => {
    const rules = jwtRules(read, keys);
    if (rules.length === 0) return NONE;
    const diagnostics: Diagnostic[] = [];
    const providers = rules.map((placed) => providerOf(read, placed, clearRouteCache, diagnostics));
    return {
      filters: [
        filter(
          'envoy.filters.http.jwt_authn',
          'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
          jwtAuthentication(providers),
        ),
      ],
      diagnostics,
    };
  },
  alike,
);

/** Rules that can't be followed refuse the tokens of their issuer. */
function providerOf(
  read: MeshRead,
  placed: PlacedJwtRule,
  clearRouteCache: boolean,
  diagnostics: Diagnostic[],
): JwtProvider {
  const { rule } = placed;
  const keys = keysOf(rule, keyLookups(read));
  if (!keys) {
    const message = `there are no keys from ${keySetPlace(rule)}, so all tokens of the issuer are refused`;
    diagnostics.push(finding(placed, 'warning', 'missing-keys', message));
  }
  const problems = (provider: JwtProvider): readonly Violation[] => validate(PROVIDER, provider, ENVOY_RULES);
  const provider = jwtProvider(rule, keys ?? KEYS_OF_NOBODY, clearRouteCache);
  const violations = problems(provider);
  if (violations.length === 0) return provider;
  const places = violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const message = `all tokens of the issuer are refused, for Envoy would refuse what the rule says: ${places}`;
  diagnostics.push(finding(placed, 'error', 'rejected-by-envoy-rules', message));
  const keyless = jwtProvider(rule, KEYS_OF_NOBODY, clearRouteCache);
  return problems(keyless).length === 0 ? keyless : { issuer: rule.issuer ?? '', ...KEYS_OF_NOBODY };
}

function finding({ from, field }: PlacedJwtRule, severity: Severity, code: string, message: string): Diagnostic {
  return { ...from, severity, code, field, message };
}

function keyLookups(read: MeshRead): KeyLookups {
  return {
    fetcher: keyFetcher(features(read).remoteJwks),
    fetched: (rule) => read.get(keySetsSource, keySetPlace(rule)),
    clusterOf: (host, port) => {
      const found = providerCluster(read, host, port);
      return 'problem' in found ? undefined : found.cluster;
    },
  };
}

/** The servers that the proxy itself fetches keys from; sorted. */
export const jwksHosts = query(
  'jwksHosts',
  (read: MeshRead): readonly Hostname[] => {
    const keys = read(requestAuthenticationKeys);
    if (keys === '' || keyFetcher(features(read).remoteJwks) === 'control-plane') return [];
    const servers = jwtRules(read, keys).map(({ rule }) => parseJwksUri(rule.jwksUri ?? ''));
    return [...new Set(servers.flatMap((server) => (server ? [server.host] : [])))].sort();
  },
  alike,
);

function filterOf(read: MeshRead, clearRouteCache: boolean): JwtFilter {
  const keys = read(requestAuthenticationKeys);
  return keys === '' ? NONE : read(jwtFilter, clearRouteCache, keys);
}

/** The filter that looks at tokens, where policies ask for it. Gateways choose routes anew by what it finds. */
export function jwtFilters(read: MeshRead, place: 'inbound' | 'gateway'): readonly HttpFilter[] {
  return filterOf(read, place === 'gateway').filters;
}

/** What had to be left out of the proxy's authentication of requests, and why. */
export const requestAuthenticationDiagnostics = query(
  'requestAuthenticationDiagnostics',
  (read: MeshRead): readonly Diagnostic[] => filterOf(read, false).diagnostics,
  alike,
);
