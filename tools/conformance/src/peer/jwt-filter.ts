import { encode, parse } from '@kedge/envoy-api';
import { type ConfigOf, isKind, type JWTRule, parseConfig } from '@kedge/model';
import { jwtAuthentication, jwtProvider, keyFetcher, KEYS_OF_NOBODY, keysOf } from '@kedge/networking';

type Row = Readonly<Record<string, unknown>>;

const MESSAGE = 'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication';

/** The one service that the reference knew, and the name by which it found it. */
const KNOWN = { name: 'jwt-token-issuer.mesh', host: 'jwt-token-issuer.mesh.svc.cluster.local' };

/** JWT rules to the filter that follows from them, as bytes. */
export function jwtFilterOutcome({ test, input, jwksFetchMode, expected }: Row): { wanted: unknown; found: unknown } {
  const specs =
    test === 'JwtFilter' ? ((input ?? []) as readonly { spec: unknown }[]) : [{ spec: { jwtRules: input } }];
  const rules = specs.flatMap(({ spec }) => policyOf(spec).spec.jwtRules);
  if (rules.length === 0) return { wanted: expected, found: null };
  const fetched = fetchedKeys(expected);
  const lookups = {
    fetcher: keyFetcher(String(jwksFetchMode).toLowerCase()),
    fetched: ({ jwksUri = '' }: JWTRule) => (jwksUri.startsWith('http://127.0.0.1:9999/') ? fetched : undefined),
    clusterOf: (host: string, port: number) => (host === KNOWN.name ? `outbound|${port}||${KNOWN.host}` : undefined),
  };
  const providers = rules.map((rule) => jwtProvider(rule, keysOf(rule, lookups) ?? KEYS_OF_NOBODY, false));
  const config = test === 'JwtFilter' ? (expected as { typedConfig: Row }).typedConfig : (expected as Row);
  const { '@type': _, ...wanted } = config;
  const parsed = parse(MESSAGE, wanted);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return { wanted: encode(MESSAGE, parsed.message), found: encode(MESSAGE, jwtAuthentication(providers)) };
}

function policyOf(spec: unknown): ConfigOf<'RequestAuthentication'> {
  const { config, diagnostics } = parseConfig({
    apiVersion: 'security.istio.io/v1',
    kind: 'RequestAuthentication',
    metadata: { name: 'row', namespace: 'foo' },
    spec,
  });
  if (!config || !isKind(config, 'RequestAuthentication')) throw new Error(JSON.stringify(diagnostics));
  return config;
}

/** What the reference's server of keys answered can be seen only in what was made of it. */
function fetchedKeys(expected: unknown): string | undefined {
  const texts: string[] = [];
  JSON.stringify(expected, (key, value: unknown) => {
    if (key === 'inlineString' && String(value).includes('fakeKey')) texts.push(String(value));
    return value;
  });
  return texts[0];
}
