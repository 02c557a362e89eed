import type { Principal, StringMatcher } from '@kedge/envoy-api';
import type { AuthorizationSource } from '@kedge/model';
import { addressRange } from '../address-range.ts';
import { quoted, wildcardHeader, wildcardMatcher } from '../wildcard-matcher.ts';
import type { Attribute, AttributeContext, FieldRow } from './attribute.ts';
import { principalLogic } from './logic.ts';
import { anyPattern, claimOrMember, claimText } from './metadata-matcher.ts';
import { principalsOf, trustDomainsOf } from './trust-domains.ts';

type Row = Attribute<Principal>;

/** What identities begin with: they are URIs of SPIFFE, `spiffe://DOMAIN/ns/NAMESPACE/sa/NAME`. */
const SCHEME = 'spiffe://';

const sourceIp: Row = { each: (value) => addressed('directRemoteIp', value) };
const remoteIp: Row = { each: (value) => addressed('remoteIp', value) };

function addressed(field: 'directRemoteIp' | 'remoteIp', value: string): Principal | undefined {
  const range = addressRange(value);
  return range && { [field]: range };
}

/** A row about the identity of the peer. */
function identity(
  matcher: (value: string, context: AttributeContext) => StringMatcher,
): Row & { readonly each: unknown } {
  return {
    each: (value, context) => {
      const test = matcher(value, context);
      return context.identity === 'certificate'
        ? { authenticated: { principalName: test } }
        : { filterState: { key: 'io.istio.peer_principal', stringMatch: test } };
    },
  };
}

const principal: Row = {
  ...identity((value) => wildcardMatcher(value, SCHEME)),
  expand: (values, { trustDomains }) => principalsOf(values, trustDomains),
};

const namespace = identity((value) => ({
  safeRegex: { regex: `.*/ns/${value.split('*').map(quoted).join('.*')}/.*` },
}));

const serviceAccount = identity((value, context) => {
  const slash = value.indexOf('/');
  const place = slash < 0 ? context.namespace : value.slice(0, slash);
  const name = value.slice(slash + 1);
  // Identities may have further parts, before the service account and after it.
  return { safeRegex: { regex: `${SCHEME}.+/ns/${quoted(place)}/(.+/|)sa/${quoted(name)}(/.+)?` } };
});

const trustDomain: Row = {
  ...identity((value) => {
    if (value === '*') return { prefix: SCHEME };
    const [start = '', end] = splitOnce(value, '*');
    if (end === undefined) return { prefix: `${SCHEME}${value}/` };
    return { safeRegex: { regex: `${SCHEME}${quoted(start)}[^/]*${quoted(end)}/.*` } };
  }),
  expand: (values, { trustDomains }) => trustDomainsOf(values, trustDomains),
};

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Principals of requests are written `ISSUER/SUBJECT`. */
const requestPrincipal: Row = {
  httpOnly: true,
  all: (values) => {
    const tests = values.map((value) => {
      const [issuer, subject] = issuerAndSubject(value);
      const claims = { iss: issuer, sub: subject };
      return principalLogic.and(
        Object.entries(claims).map(([claim, stringMatch]) => ({ metadata: claimText(claim, { stringMatch }) })),
      );
    });
    return tests.length === 1 ? tests[0] : principalLogic.or(tests);
  },
};

/** The issuer may be a URL, so the last slash counts. A pattern without one is for both, as far as it reaches. */
function issuerAndSubject(value: string): readonly [StringMatcher, StringMatcher] {
  const any = wildcardMatcher('*');
  if (value === '*') return [any, any];
  const slash = value.lastIndexOf('/');
  const issuer = value.slice(0, slash);
  const subject = value.slice(slash + 1);
  if (value.startsWith('*'))
    return slash < 0 ? [any, wildcardMatcher(value)] : [wildcardMatcher(issuer), { exact: subject }];
  if (value.endsWith('*'))
    return slash < 0 ? [wildcardMatcher(value), any] : [{ exact: issuer }, wildcardMatcher(subject)];
  return slash < 0 ? [{ exact: value }, { exact: '' }] : [{ exact: issuer }, { exact: subject }];
}

const claim = (path: readonly string[], values: readonly string[]): Principal => ({
  metadata: claimOrMember(path, anyPattern(values)),
});

/** Fields of sources, with their negations, in the order in which they are tested. */
export const SOURCE_FIELDS: readonly FieldRow<keyof AuthorizationSource, Principal>[] = [
  { field: 'principals', negation: 'notPrincipals', attribute: principal },
  { field: 'requestPrincipals', negation: 'notRequestPrincipals', attribute: requestPrincipal },
  { field: 'serviceAccounts', negation: 'notServiceAccounts', attribute: serviceAccount },
  { field: 'trustDomains', negation: 'notTrustDomains', attribute: trustDomain },
  { field: 'namespaces', negation: 'notNamespaces', attribute: namespace },
  { field: 'remoteIpBlocks', negation: 'notRemoteIpBlocks', attribute: remoteIp },
  { field: 'ipBlocks', negation: 'notIpBlocks', attribute: sourceIp },
];

/** Attributes of conditions that are about who does something. */
export const PRINCIPAL_CONDITIONS: Readonly<Record<string, Row>> = {
  'source.ip': sourceIp,
  'remote.ip': remoteIp,
  'source.namespace': namespace,
  'source.serviceAccount': serviceAccount,
  'source.trustDomain': trustDomain,
  'source.principal': principal,
  'request.auth.principal': requestPrincipal,
  'request.auth.audiences': { httpOnly: true, all: (values) => claim(['aud'], values) },
  'request.auth.presenter': { httpOnly: true, all: (values) => claim(['azp'], values) },
};

export const PRINCIPAL_CONDITIONS_BY_PREFIX: Readonly<Record<string, Row>> = {
  'request.headers': {
    httpOnly: true,
    each: (value, { path }) => {
      const name = inBrackets(path);
      return name === undefined ? undefined : { header: wildcardHeader(name, value) };
    },
  },
  'request.auth.claims': {
    httpOnly: true,
    all: (values, { path }) => {
      const keys = nestedKeys(path);
      return keys && claim(keys, values);
    },
  },
};

function inBrackets(text: string): string | undefined {
  return /^\[(.*)\]$/s.exec(text)?.[1];
}

/** The keys of `[a][b]`; what is not of that form but in brackets is one key, whatever is in it. */
function nestedKeys(text: string): readonly string[] | undefined {
  if (/^(?:\[[^[\]]*\])+$/.test(text)) return text.slice(1, -1).split('][');
  const key = inBrackets(text);
  return key === undefined ? undefined : [key];
}
