import { describe, expect, test } from '@jest/globals';
import { exclusionOf } from './exclusion.ts';
import type { Container, Pod } from './kubernetes/pod.ts';
import { podWithSidecar } from './testing/pods.ts';

const status = { 'sidecar.istio.io/status': '{}' };
const inject = (value: string) => ({ 'sidecar.istio.io/inject': value });
const proxy = (given: Partial<Container> = {}): Partial<Pod['spec']> => ({
  containers: [{ name: 'istio-proxy', ...given }],
});

describe('redirected', () => {
  test.each<[string, Pod]>([
    ['a sidecar', podWithSidecar()],
    [
      'a native sidecar',
      podWithSidecar({ spec: { containers: [{ name: 'web' }], initContainers: proxy().containers } }),
    ],
    ['a proxy that does not tell its role', podWithSidecar({ spec: proxy({ args: ['proxy'] }) })],
    ['DISABLE_ENVOY=false', podWithSidecar({ spec: proxy({ env: [{ name: 'DISABLE_ENVOY', value: 'false' }] }) })],
    [
      'the label is stronger than the annotation',
      podWithSidecar({ metadata: { labels: inject('true'), annotations: { ...status, ...inject('false') } } }),
    ],
    ['a value that is no answer', podWithSidecar({ metadata: { labels: inject('maybe') } })],
  ])('%s', (_, pod) => {
    expect(exclusionOf(pod)).toBeUndefined();
  });
});

describe('not redirected', () => {
  test.each<[string, Pod]>([
    ['it has the network of its node', podWithSidecar({ spec: { hostNetwork: true } })],
    ['its container istio-init redirects', podWithSidecar({ spec: { initContainers: [{ name: 'istio-init' }] } })],
    ['it has no container istio-proxy', podWithSidecar({ spec: { containers: [{ name: 'web' }] } })],
    [
      'its proxy is switched off by DISABLE_ENVOY',
      podWithSidecar({ spec: proxy({ env: [{ name: 'DISABLE_ENVOY', value: 'true' }] }) }),
    ],
    ['its proxy is a router, not a sidecar', podWithSidecar({ spec: proxy({ args: ['proxy', 'router'] }) })],
    ['sidecar.istio.io/inject says no', podWithSidecar({ metadata: { labels: inject('false') } })],
    ['sidecar.istio.io/inject says no', podWithSidecar({ metadata: { annotations: { ...status, ...inject('0') } } })],
    [
      'it was not injected: there is no annotation sidecar.istio.io/status',
      podWithSidecar({ metadata: { annotations: {} } }),
    ],
  ])('%s', (reason, pod) => {
    expect(exclusionOf(pod)).toBe(reason);
  });
});
