import fc from 'fast-check';
import { type Manifest, manifests } from './manifest.ts';
import { fewOf, HOSTS, ISSUERS, objectName, selector, withSome } from './names.ts';

/* Who may do what, how callers prove who they are, and what is told of it. */

const SECURITY = 'security.istio.io/v1';

/** Of all workloads of the namespace, or of those with a label. */
const selection = { selector: selector.map((matchLabels) => ({ matchLabels })) };

const mode = fc.constantFrom('STRICT', 'PERMISSIVE', 'DISABLE', 'UNSET').map((name) => ({ mode: name }));

const peerAuthentication = manifests(
  SECURITY,
  'PeerAuthentication',
  fc.oneof(
    mode.map((mtls) => ({ mtls })),
    fc.tuple(selector, mode, mode).map(([matchLabels, mtls, ofPort]) => ({
      selector: { matchLabels },
      mtls,
      portLevelMtls: { '8080': ofPort },
    })),
  ),
);

const authorizationRule = fewOf(
  {
    from: fewOf(
      {
        principals: fc.constantFrom(['cluster.local/ns/shop/sa/a'], ['*']),
        namespaces: fc.constantFrom(['shop'], ['bank']),
        ipBlocks: fc.constant(['10.1.0.0/16']),
        requestPrincipals: fc.constant(['issuer-a/*']),
      },
      1,
    ).map((source) => [{ source }]),
    to: fewOf(
      {
        methods: fc.constant(['GET']),
        paths: fc.constantFrom(['/a'], ['/a*']),
        ports: fc.constantFrom(['8080'], ['9000']),
        hosts: fc.constantFrom(...HOSTS).map((host) => [host]),
      },
      1,
    ).map((operation) => [{ operation }]),
    when: fc.constantFrom('request.headers[x-a]', 'source.namespace').map((key) => [{ key, values: ['shop'] }]),
  },
  1,
);

const authorizationPolicy = manifests(
  SECURITY,
  'AuthorizationPolicy',
  withSome(
    fc
      .record({
        act: fc.constantFrom({ action: 'ALLOW' }, { action: 'DENY' }, { action: 'AUDIT' }, { action: 'CUSTOM', provider: { name: 'custom' } }), // prettier-ignore
        rules: fc.array(authorizationRule, { minLength: 1, maxLength: 2 }),
      })
      .map(({ act, rules }) => ({ ...act, rules })),
    selection,
  ),
);

const requestAuthentication = manifests(
  SECURITY,
  'RequestAuthentication',
  withSome(
    fc
      .constantFrom(
        { issuer: ISSUERS[0], jwks: '{"keys":[{"kty":"oct","k":"AAAA"}]}' },
        { issuer: ISSUERS[1], forwardOriginalToken: true },
        { issuer: ISSUERS[1], jwksUri: 'https://x.example/keys' },
      )
      .map((rule) => ({ jwtRules: [rule] })),
    selection,
  ),
);

const telemetry = manifests(
  'telemetry.istio.io/v1',
  'Telemetry',
  withSome(
    fewOf(
      {
        accessLogging: fc.constantFrom(
          [{ providers: [{ name: 'envoy' }] }],
          [{ providers: [{ name: 'als' }] }],
          [{ disabled: true }],
        ),
        metrics: fc.constant([{ providers: [{ name: 'prometheus' }], reportingInterval: '7s' }]),
        tracing: fc.constantFrom([{ randomSamplingPercentage: 7 }], [{ providers: [{ name: 'zipkin' }] }]),
      },
      1,
    ),
    selection,
  ),
  { name: objectName },
);

export const policies: Readonly<Record<string, fc.Arbitrary<Manifest>>> = {
  PeerAuthentication: peerAuthentication,
  AuthorizationPolicy: authorizationPolicy,
  RequestAuthentication: requestAuthentication,
  Telemetry: telemetry,
};
