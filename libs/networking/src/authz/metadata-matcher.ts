import type { MetadataMatcher, ValueMatcher } from '@kedge/envoy-api';
import { wildcardMatcher } from '../wildcard-matcher.ts';

/** Tests metadata that a filter left. */
export function metadataMatcher(filter: string, path: readonly string[], value: ValueMatcher): MetadataMatcher {
  return { filter, path: path.map((key) => ({ key })), value };
}

/** Any of several; one alone is not wrapped. */
export function anyValue(matchers: readonly ValueMatcher[]): ValueMatcher {
  const [first] = matchers;
  return first && matchers.length === 1 ? first : { orMatch: { valueMatchers: matchers } };
}

/** A text that matches any of several patterns. */
export const anyPattern = (patterns: readonly string[]): ValueMatcher =>
  anyValue(patterns.map((pattern) => ({ stringMatch: wildcardMatcher(pattern) })));

const JWT_FILTER = 'envoy.filters.http.jwt_authn';
const PAYLOAD = 'payload';

/** Tests a claim of the token that a request was accepted with, as a text. */
export function claimText(claim: string, value: ValueMatcher): MetadataMatcher {
  return metadataMatcher(JWT_FILTER, [PAYLOAD, claim], value);
}

/** Tests a claim that may be a text or a list of texts, of which one has to match. */
export function claimOrMember(path: readonly string[], value: ValueMatcher): MetadataMatcher {
  const eitherWay = { orMatch: { valueMatchers: [{ listMatch: { oneOf: value } }, value] } };
  return metadataMatcher(JWT_FILTER, [PAYLOAD, ...path], eitherWay);
}
