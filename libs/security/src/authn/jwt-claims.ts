import { decodeJwt } from 'jose';

type Claims = ReturnType<typeof decodeJwt>;

/** The claims of a token. Nothing is verified: only for who the token belongs to. Throws where it has none. */
export function unverifiedClaims(token: string): Claims {
  try {
    return decodeJwt(token);
  } catch {
    throw new Error('failed to decode the JWT claims');
  }
}

/** When a token expires; undefined where it doesn't say. */
export function unverifiedExpiry(token: string): Date | undefined {
  const { exp } = unverifiedClaims(token);
  return typeof exp === 'number' ? new Date(exp * 1000) : undefined;
}

/** The audiences that a token is for. */
export function audiencesOf({ aud = [] }: Pick<Claims, 'aud'>): readonly string[] {
  return typeof aud === 'string' ? [aud] : aud;
}

/** Whether a token is for one of the audiences that are expected. */
export function hasAudience(audiences: readonly string[], expected: readonly string[]): boolean {
  return audiences.some((audience) => expected.includes(audience));
}
