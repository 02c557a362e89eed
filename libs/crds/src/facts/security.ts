import {
  AuthorizationCondition,
  AuthorizationOperation,
  AuthorizationPolicy,
  AuthorizationPolicyExtensionProvider,
  AuthorizationRule,
  AuthorizationRuleFrom,
  AuthorizationRuleTo,
  AuthorizationSource,
  ClaimToHeader,
  JWTHeader,
  JWTRule,
  MutualTLS,
  PeerAuthentication,
  RequestAuthentication,
} from '@kedge/model';
import { type FieldFacts, describe } from './facts.ts';
import { HEADER_NAME, NOT_EMPTY, ONE_TARGET, atMostOneOf } from './rules.ts';
import { MAX_TARGETS } from './selectors.ts';

const serviceAccounts = (about: string): FieldFacts => ({ about, maxItems: 16, element: { maxLength: 320 } });

export const targets = {
  selector: 'Workloads it is for; all of the namespace where it is left out.',
  targetRef: 'Object it is for; use targetRefs.',
  targetRefs: { about: 'Objects it is for, such as gateways and services.', maxItems: MAX_TARGETS },
};

export const security = [
  describe(
    AuthorizationPolicy,
    {
      ...targets,
      rules: {
        about: 'The policy is for requests that match one of these; with none, it matches nothing.',
        maxItems: 512,
      },
      action: 'What happens to requests that match.',
      provider: 'External authorizer to ask; for CUSTOM.',
    },
    [ONE_TARGET],
  ),
  describe(AuthorizationPolicyExtensionProvider, { name: 'Name of the provider in the mesh configuration.' }),
  describe(AuthorizationRule, {
    from: { about: 'Sources, one of which must match; any where it is left out.', maxItems: 512 },
    to: 'Operations, one of which must match; any where it is left out.',
    when: 'More conditions, all of which must hold.',
  }),
  describe(AuthorizationRuleFrom, { source: 'Who asks.' }),
  describe(AuthorizationRuleTo, { operation: 'What is asked for.' }),
  describe(
    AuthorizationSource,
    {
      principals: 'Identities of the client by its certificate, without spiffe://.',
      notPrincipals: 'Identities that the client must not have.',
      requestPrincipals: 'Issuer and subject of the token, as ISSUER/SUBJECT.',
      notRequestPrincipals: 'Issuers and subjects that the token must not have.',
      namespaces: 'Namespaces of the client by its certificate.',
      notNamespaces: 'Namespaces that the client must not be in.',
      serviceAccounts: serviceAccounts('Service accounts of the client, as NAMESPACE/NAME or NAME.'),
      notServiceAccounts: serviceAccounts('Service accounts that the client must not have.'),
      ipBlocks: 'Addresses of the connection, IPs or CIDRs.',
      notIpBlocks: 'Addresses that the connection must not have.',
      remoteIpBlocks: 'Addresses of the original client, as proxies before tell it.',
      notRemoteIpBlocks: 'Addresses that the original client must not have.',
      trustDomains: 'Trust domains of the client by its certificate.',
      notTrustDomains: 'Trust domains that the client must not be of.',
    },
    [
      {
        rule:
          '(has(self.serviceAccounts) || has(self.notServiceAccounts)) ? (!has(self.principals) &&\n' +
          '!has(self.notPrincipals) && !has(self.namespaces) && !has(self.notNamespaces)) : true',
        message: 'Cannot set serviceAccounts with namespaces or principals',
      },
    ],
  ),
  describe(AuthorizationOperation, {
    hosts: 'Hosts of the request.',
    notHosts: 'Hosts that are not meant.',
    ports: 'Ports.',
    notPorts: 'Ports that are not meant.',
    methods: 'HTTP methods.',
    notMethods: 'HTTP methods that are not meant.',
    paths: 'Paths, or for gRPC /package.Service/Method.',
    notPaths: 'Paths that are not meant.',
  }),
  describe(AuthorizationCondition, {
    key: 'Attribute of the request, e.g. request.headers[x-id].',
    values: 'Values, one of which the attribute must have.',
    notValues: 'Values that the attribute must not have.',
  }),
  describe(
    PeerAuthentication,
    {
      selector: targets.selector,
      mtls: 'What is asked of clients.',
      portLevelMtls: {
        about: 'What is asked of clients at single ports of the workload.',
        minProperties: 1,
        rules: [{ rule: 'self.all(key, 0 < int(key) && int(key) <= 65535)', message: 'port must be between 1-65535' }],
      },
    },
    [
      {
        rule:
          'has(self.portLevelMtls) ? (((has(self.selector) && has(self.selector.matchLabels)) ? ' +
          'self.selector.matchLabels : {}).size() > 0) : true',
        message: 'portLevelMtls requires selector',
      },
    ],
  ),
  describe(MutualTLS, { mode: 'Whether mutual TLS is demanded, taken or not offered.' }),
  describe(
    RequestAuthentication,
    { ...targets, jwtRules: { about: 'Tokens that are accepted, by issuer.', maxItems: 4096 } },
    [ONE_TARGET],
  ),
  describe(
    JWTRule,
    {
      issuer: { about: 'Issuer of the token, its claim iss.', minLength: 1 },
      audiences: { about: 'Audiences, one of which the token must be for.', element: NOT_EMPTY },
      jwksUri: {
        about: 'Where the keys of the issuer are read; found by the issuer where neither it nor jwks is given.',
        minLength: 1,
        maxLength: 2048,
        rules: [
          { rule: 'url(self).getScheme() in ["http", "https"]', message: 'url must have scheme http:// or https://' },
        ],
        alias: 'jwks_uri',
      },
      jwks: 'The keys of the issuer, as a JSON Web Key Set.',
      fromHeaders: 'Headers the token may be in, in place of Authorization.',
      fromParams: { about: 'Query parameters the token may be in.', element: NOT_EMPTY },
      outputPayloadToHeader: 'Header that carries the payload of a valid token on, in base64url.',
      fromCookies: { about: 'Cookies the token may be in.', element: NOT_EMPTY },
      forwardOriginalToken: 'Whether the token is sent on.',
      outputClaimToHeaders: 'Claims of a valid token that are sent on as headers.',
      timeout: 'Most time that reading the keys may take.',
      spaceDelimitedClaims: {
        about: 'More claims that are lists with spaces between, like scope.',
        maxItems: 64,
        element: NOT_EMPTY,
      },
      presence: 'Whether a request must have a token.',
    },
    [atMostOneOf(['jwksUri', 'jwks_uri', 'jwks'], 'only one of jwks or jwksUri can be set')],
  ),
  describe(JWTHeader, {
    name: { about: 'Name of the header.', minLength: 1 },
    prefix: 'What stands before the token, e.g. "Bearer ".',
  }),
  describe(ClaimToHeader, {
    header: { about: 'Name of the header.', minLength: 1, pattern: HEADER_NAME },
    claim: { about: 'Name of the claim; a dot leads into an object.', minLength: 1 },
  }),
];
