import { describe, expect, test } from '@jest/globals';
import { checkAnnotations } from './annotations.ts';
import { appendMultusNetwork } from './multus.ts';
import { usesNativeSidecars } from './native-sidecar.ts';
import { omitNil } from './omit-nil.ts';
import { proxyImage } from './proxy-image.ts';
import { canonicalQuantity } from './quantity.ts';
import { envsOfUrl } from './url-envs.ts';

describe('checkAnnotations', () => {
  test.each([
    ['traffic.sidecar.istio.io/includeOutboundIPRanges', '*', true],
    ['traffic.sidecar.istio.io/includeOutboundIPRanges', '10.0.0.0/8,fd00::/8', true],
    ['traffic.sidecar.istio.io/excludeOutboundIPRanges', '*', false],
    ['traffic.sidecar.istio.io/excludeOutboundIPRanges', '10.0.0.0/33', false],
    ['traffic.sidecar.istio.io/excludeInboundPorts', '80, 443', true],
    ['traffic.sidecar.istio.io/excludeInboundPorts', '80,x', false],
    ['proxy.istio.io/config', 'concurrency: 1', true],
    ['proxy.istio.io/config', '[', false],
    ['sidecar.istio.io/proxyCPU', '100m\n', false],
    ['of.another/owner', '*', true],
  ])('%s: %j', (name, value, isValid) => {
    const check = () => checkAnnotations({ [name]: value });
    if (isValid) expect(check).not.toThrow();
    else expect(check).toThrow(name);
  });
});

test.each([
  ['2000m', '2'],
  ['1024Mi', '1Gi'],
  ['0', '0'],
  ['500Mi', '500Mi'],
  ['many', 'many'],
])('canonicalQuantity %s', (text, expected) => {
  expect(canonicalQuantity(text)).toBe(expected);
});

test.each([
  ['the tag as it is', undefined, '1.2-debug', 'hub/proxyv2:1.2-debug'],
  ['a type in the place of another', 'distroless', '1.2-debug', 'hub/proxyv2:1.2-distroless'],
  ['no type', 'default', '1.2-debug', 'hub/proxyv2:1.2'],
])('proxyImage: %s', (_, type, tag, expected) => {
  expect(proxyImage({ hub: 'hub', tag, image: 'proxyv2', type })).toBe(expected);
});

test('a network is added to a JSON array that is empty', () => {
  expect(appendMultusNetwork('[]', 'istio-cni')).toBe('[{"name": "istio-cni"}]');
});

test.each(['a, default/istio-cni', '[{"name": "istio-cni", "namespace": "default"}]'])(
  'a network that is in %s is not added again',
  (list) => {
    expect(appendMultusNetwork(list, 'default/istio-cni')).toBe(list);
  },
);

test('native sidecars need every kubelet', () => {
  expect(usesNativeSidecars('auto', ['v1.33.0', 'v1.32.9'])).toBe(false);
  expect(usesNativeSidecars('auto', [])).toBe(true);
  expect(usesNativeSidecars('auto', ['unknown'])).toBe(false);
});

test('omitNil keeps a map that was empty', () => {
  expect(omitNil({ a: {}, b: { c: null } })).toEqual({ a: {} });
});

test('the URL sets the environment', () => {
  expect(envsOfUrl('/inject/net/a--slash--b/left')).toEqual({ ISTIO_META_NETWORK: 'a/b' });
});
