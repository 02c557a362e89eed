import { headless, own, podAt, policy, sliceOf, stating, svc } from './parts.ts';
import { authorizationPolicy, peerAuthentication, telemetry, type Situation } from './situation.ts';

const logging = (more: object = {}) =>
  telemetry('shop/t', { accessLogging: [{ providers: [{ name: 'envoy' }], ...more }] });

export const policySituations: Readonly<Record<string, Situation>> = {
  'a policy says something else': { objects: [...own, policy('a')], then: { objects: [policy('b')] } },
  'a custom policy': {
    objects: [
      ...own,
      authorizationPolicy('shop/p', {
        action: 'CUSTOM',
        provider: { name: 'custom' },
        rules: [{ to: [{ operation: { paths: ['/a'] } }] }],
      }),
    ],
    then: {
      objects: [
        authorizationPolicy('shop/p', {
          action: 'CUSTOM',
          provider: { name: 'custom' },
          rules: [{ to: [{ operation: { paths: ['/b'] } }] }],
        }),
      ],
    },
  },
  telemetry: { objects: [...own, logging()], then: { objects: [logging({ disabled: true })] } },
  'telemetry where nothing is redirected': {
    objects: [headless({ clusterIP: '10.96.0.1' }), sliceOf('shop/a-1', 'a', ['10.1.0.2']), logging()],
    proxies: [stating({ INTERCEPTION_MODE: 'NONE' })],
    then: { objects: [logging({ disabled: true })] },
  },
  'peer authentication disables': {
    objects: [
      svc(),
      podAt('shop/a', '10.1.0.1', { labels: { 'security.istio.io/tlsMode': 'istio' } }),
      sliceOf('shop/a-1', 'a', ['10.1.0.1'], { targetRef: { kind: 'Pod', name: 'a', namespace: 'shop' } }),
      peerAuthentication('shop/default', { mtls: { mode: 'STRICT' } }),
    ],
    then: { objects: [peerAuthentication('shop/default', { mtls: { mode: 'DISABLE' } })] },
  },
};
