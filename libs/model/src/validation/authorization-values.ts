import { subnetProblem } from './address.ts';
import { type Issues, type Problem, quote } from './issues.ts';

/** What the list in a field may hold. */
export type ValueRule = (issues: Issues, values: readonly string[]) => void;

const eachValue =
  (problem: (value: string) => Problem): ValueRule =>
  (issues, values) => {
    values.forEach((value, i) => {
      issues.at(i).check('invalid-value', value === '' ? 'must not be empty' : problem(value));
    });
  };

export const notEmpty = eachValue(() => undefined);
export const subnet = eachValue(subnetProblem);
export const numericPort = eachValue((value) =>
  /^\d+$/.test(value) && Number(value) <= 65535 ? undefined : `${quote(value)} is not a port`,
);
/** An exact value, or one with `*` at its start or end. */
const wildcard = eachValue(wildcardProblem);
export const trustDomain = eachValue((value) =>
  value.includes('/') ? `${quote(value)} is not a trust domain: it has a "/"` : wildcardProblem(value),
);
export const pathTemplate = eachValue(pathTemplateProblem);

const MAX_SERVICE_ACCOUNTS = 16;
const MAX_SERVICE_ACCOUNT = 320;
const serviceAccountValue = eachValue((value) => {
  if (value.length > MAX_SERVICE_ACCOUNT) return `${quote(value)} is longer than ${MAX_SERVICE_ACCOUNT} characters`;
  return /^[^/*]+(?:\/[^/*]+)?$/.test(value)
    ? undefined
    : `${quote(value)} must be SERVICEACCOUNT or NAMESPACE/SERVICEACCOUNT, without wildcard`;
});

export const serviceAccount: ValueRule = (issues, values) => {
  issues.errorIf(values.length > MAX_SERVICE_ACCOUNTS, 'too-many', `may have ${MAX_SERVICE_ACCOUNTS} values at most`);
  serviceAccountValue(issues, values);
};

function wildcardProblem(value: string): Problem {
  return /^\*?[^*]*$|^[^*]+\*$/.test(value) ? undefined : `${quote(value)} may have one "*", at its start or its end`;
}

/** Characters of a path segment (RFC 3986). */
const PATH_SEGMENT = /^[a-zA-Z0-9\-._~%!$&'()+,;:@=]+$/;

/** A path in which `{*}` stands for one segment and `{**}`, as the last of such operators, for any number. */
function pathTemplateProblem(path: string): Problem {
  const segments = path.replace(/^\/+|\/+$/g, '').split('/');
  const isOperator = (segment: string): boolean => segment === '{*}' || segment === '{**}';
  const anyNumber = segments.indexOf('{**}');
  if (anyNumber >= 0 && segments.slice(anyNumber + 1).some(isOperator)) {
    return `${quote(path)}: {**} must be the last of the operators`;
  }
  const isTemplate = /\{\*\*?\}/.test(path);
  for (const segment of segments.filter((one) => !isOperator(one))) {
    if (/[{}]/.test(segment)) return `${quote(path)}: braces are allowed only as the segments {*} and {**}`;
    if (isTemplate && !PATH_SEGMENT.test(segment)) return `${quote(path)}: ${quote(segment)} is not a path segment`;
  }
  return undefined;
}

/** Attributes that conditions match, beside those with a name in brackets. */
const ATTRIBUTES: Readonly<Record<string, ValueRule>> = {
  'request.auth.principal': notEmpty,
  'request.auth.audiences': notEmpty,
  'request.auth.presenter': notEmpty,
  'source.ip': subnet,
  'source.namespace': notEmpty,
  'source.principal': notEmpty,
  'source.serviceAccount': serviceAccount,
  'source.trustDomain': wildcard,
  'remote.ip': subnet,
  'destination.ip': subnet,
  'destination.port': numericPort,
  'connection.sni': notEmpty,
};

/** Prefixes of attributes with a name in brackets; metadata of Envoy filters may be between prefix and bracket. */
const NAMED = ['request.headers', 'request.auth.claims', 'experimental.envoy.filters.'];

const namedPrefix = (key: string): string | undefined => NAMED.find((prefix) => key.startsWith(prefix));

/** The key of a condition. */
export function attributeProblem(key: string): Problem {
  if (namedPrefix(key) !== undefined) {
    return /^[^[]+\[.+\]$/s.test(key)
      ? undefined
      : `${quote(key)} must have a name in brackets, as in request.headers[x-user]`;
  }
  return Object.hasOwn(ATTRIBUTES, key) ? undefined : `${quote(key)} is not an attribute that conditions can match`;
}

/** The values of a condition. */
export function validateValues(issues: Issues, values: readonly string[], key: string): void {
  const rule = namedPrefix(key) === undefined && Object.hasOwn(ATTRIBUTES, key) ? ATTRIBUTES[key] : undefined;
  (rule ?? notEmpty)(issues, values);
}
