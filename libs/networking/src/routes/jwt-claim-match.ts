import type { MetadataMatcher } from '@kedge/envoy-api';
import type { StringMatch } from '@kedge/model';
import { claimOrMember } from '../authz/metadata-matcher.ts';
import { stringMatcher } from './string-matcher.ts';

const CLAIMS = '@request.auth.claims';

/**
 * The path of a claim in a header name of the form `@request.auth.claims.a.b` or `@request.auth.claims[a][b]`; undefined for
 * all other names. https://istio.io/latest/docs/tasks/security/authentication/jwt-route/
 */
export function claimPath(header: string): readonly string[] | undefined {
  if (!header.toLowerCase().startsWith(CLAIMS)) return undefined;
  const rest = header.slice(CLAIMS.length);
  if (rest.length > 1 && rest.startsWith('.')) return rest.slice(1).split('.');
  if (rest.length > 2 && rest.startsWith('[') && rest.endsWith(']')) return rest.slice(1, -1).split('][');
  return undefined;
}

/** Tests a claim of the token that the JWT filter accepted: a text, or any member of a list of texts. */
export function claimMatcher(path: readonly string[], match: StringMatch, invert: boolean): MetadataMatcher {
  return { ...claimOrMember(path, { stringMatch: stringMatcher(match) ?? {} }), ...(invert ? { invert } : {}) };
}
