import type { HeaderManipulation, HeaderOperations } from '../kinds/http-action.ts';
import { type Issues, type Problem, quote } from './issues.ts';

const EMPTY = 'a header name must not be empty';
/** Characters of a token (RFC 7230), and the comma, which was always let pass. */
const TOKEN = /^[!#$%&'*+,\-.^_`|~A-Za-z0-9]+$/;
const PSEUDO_HEADERS: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path', ':status']);

function nameProblem(name: string, allowed: RegExp): Problem {
  if (name === '') return EMPTY;
  return allowed.test(name) ? undefined : `${quote(name)} is not a header name`;
}

/** A header name made of letters, digits, dashes and underscores. */
export const plainHeaderNameProblem = (name: string): Problem => nameProblem(name, /^[-_A-Za-z0-9]+$/);

/** A header of a Kubernetes HTTP probe. */
export const probeHeaderNameProblem = (name: string): Problem => nameProblem(name, /^[-A-Za-z0-9]+$/);

/** A header in a CORS policy; `*` stands for all. */
export const corsHeaderNameProblem = (name: string): Problem => nameProblem(name, TOKEN);

/** A header, pseudo-header or JWT claim that a route matches. */
export function matchedHeaderNameProblem(name: string): Problem {
  return isJwtClaim(name) || PSEUDO_HEADERS.has(name) ? undefined : nameProblem(name, TOKEN);
}

/** `@request.auth.claims.NAME` or `@request.auth.claims[NAME][NAME]`: a claim of the verified token in place of a header. */
export function isJwtClaim(name: string): boolean {
  return /^@request\.auth\.claims(?:\..+|\[.+\])$/is.test(name);
}

/** Whether the header is another name of the request's authority. */
export function isAuthority(name: string): boolean {
  return /^(?::authority|host)$/i.test(name);
}

/** A header that may be changed. Of a request that is forwarded, the authority may be too. */
function changedHeaderNameProblem(name: string, mayChangeAuthority: boolean): Problem {
  if (name === '') return EMPTY;
  if (mayChangeAuthority && isAuthority(name)) return undefined;
  return name.startsWith(':') || isAuthority(name) ? `${quote(name)} cannot be changed` : undefined;
}

function validateOperations(issues: Issues, { set, add, remove }: HeaderOperations, mayChangeAuthority: boolean): void {
  for (const [field, headers] of Object.entries({ add, set })) {
    issues.entries(field, headers, (at, value, name) => {
      at.check('invalid-header-name', changedHeaderNameProblem(name, mayChangeAuthority));
      at.check('invalid-header-value', headerValueProblem(value));
    });
  }
  issues.each('remove', remove, (at, name) => at.check('invalid-header-name', changedHeaderNameProblem(name, false)));
}

export function validateHeaderManipulation(issues: Issues, { request, response }: HeaderManipulation): void {
  issues.field('request', request, (at, operations) => validateOperations(at, operations, true));
  issues.field('response', response, (at, operations) => validateOperations(at, operations, false));
}

/**
 * A header value in Envoy's format: text, `%%`, and commands such as `%HOSTNAME%`, `%REQ(x)%` and `%F(["a", "b"])%`.
 * https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers#custom-request-response-headers
 */
export function headerValueProblem(value: string): Problem {
  // eslint-disable-next-line no-control-regex -- these are what must not be there
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) return `${quote(value)} has control characters`;
  let state: FormatState = 'text';
  for (const character of value) {
    const next: FormatState | undefined = FORMAT[state](character);
    if (next === undefined) return `${quote(value)} has a malformed command at ${quote(character)}`;
    state = next;
  }
  return state === 'text' ? undefined : `${quote(value)} has a "%" that neither ends a command nor is doubled`;
}

type FormatState =
  'text' | 'percent' | 'command' | 'arguments' | 'string' | 'escape' | 'listItem' | 'listNext' | 'listEnd' | 'end';

/** The state after a character; undefined where the character has no place. Blanks between tokens are skipped. */
const FORMAT: Readonly<Record<FormatState, (character: string) => FormatState | undefined>> = {
  text: (c) => (c === '%' ? 'percent' : 'text'),
  percent: (c) => (c === '%' ? 'text' : FORMAT.command(c)),
  command: (c) => (c === '%' ? 'text' : c === '(' ? 'arguments' : 'command'),
  arguments: (c) => (c === ' ' ? 'arguments' : c === '[' ? 'listItem' : 'string'),
  string: (c) => (c === '\\' ? 'escape' : c === ')' ? 'end' : c === '"' ? 'listNext' : 'string'),
  escape: () => 'string',
  listItem: (c) => (c === ' ' ? 'listItem' : c === '"' ? 'string' : undefined),
  listNext: (c) => (c === ' ' ? 'listNext' : c === ',' ? 'listItem' : c === ']' ? 'listEnd' : undefined),
  listEnd: (c) => (c === ' ' ? 'listEnd' : c === ')' ? 'end' : undefined),
  end: (c) => (c === ' ' ? 'end' : c === '%' ? 'text' : undefined),
};
