import { parseJwks } from './jwks.ts';

/** Which tokens are taken: a `JWTRule` of Istio's API, as far as it concerns identities. */
export interface JwtRule {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly jwksUri?: string;
  /** The keys themselves, instead of where they are. */
  readonly jwks?: string;
}

/** Reads a rule in JSON, with names in camelCase or snake_case. Throws where it lacks an issuer or a way to its keys. */
export function parseJwtRule(text: string): JwtRule {
  const value = objectOf(text);
  const issuer = textOf(value.issuer);
  if (!issuer) throw new Error('the JWT rule has no issuer');
  const jwksUri = textOf(value.jwksUri ?? value.jwks_uri);
  const jwks = textOf(value.jwks);
  if (jwks) parseJwks(jwks);
  if (!jwksUri && !jwks && !isHttpUrl(issuer)) {
    throw new Error('the JWT rule has no keys: it needs jwksUri or jwks, since its issuer is no URL');
  }
  const audiences = Array.isArray(value.audiences) ? value.audiences.map(String) : [];
  return { issuer, audiences, ...(jwksUri ? { jwksUri } : {}), ...(jwks ? { jwks } : {}) };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below.
  }
  throw new Error('the JWT rule is not a JSON object');
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');
