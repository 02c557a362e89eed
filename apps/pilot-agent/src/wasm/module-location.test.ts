import { expect, test } from '@jest/globals';
import { moduleName, parseLocation, pinnedDigest } from './module-location.ts';

const digest = `sha256:${'0a'.repeat(32)}`;
const oci = (registry: string, repository: string, reference: string) => ({
  kind: 'oci',
  registry,
  repository,
  reference,
});

test.each([
  ['https://example.com/a.wasm?b', { kind: 'http', url: 'https://example.com/a.wasm?b' }],
  ['oci://ghcr.io/istio/plugin:v1', oci('ghcr.io', 'istio/plugin', 'v1')],
  ['oci://registry.shop:5000/a/b/c', oci('registry.shop:5000', 'a/b/c', 'latest')],
  ['oci://localhost/a:1.2', oci('localhost', 'a', '1.2')],
  [`oci://ghcr.io/istio/plugin@${digest}`, oci('ghcr.io', 'istio/plugin', digest)],
  [`oci://ghcr.io/istio/plugin:v1@${digest}`, oci('ghcr.io', 'istio/plugin', digest)],
  ['oci://istio/plugin', oci('index.docker.io', 'istio/plugin', 'latest')],
  ['oci://docker.io/plugin:v1', oci('index.docker.io', 'library/plugin', 'v1')],
  ['oci://plugin', oci('index.docker.io', 'library/plugin', 'latest')],
])('%s', (url, expected) => {
  expect(parseLocation(url)).toEqual(expected);
});

test.each(['file:///a', 'ftp://a/b', 'oci://', 'oci://ghcr.io/UPPER', 'oci://ghcr.io/a@sha256:short', 'x'])(
  '%s is refused',
  (url) => {
    expect(() => parseLocation(url)).toThrow(/no URL|no image|is none/);
  },
);

test('a module has its name whatever its version', () => {
  expect(moduleName(parseLocation('oci://ghcr.io/a:v1'))).toBe(moduleName(parseLocation(`oci://ghcr.io/a@${digest}`)));
  expect(pinnedDigest(parseLocation(`oci://ghcr.io/a@${digest}`))).toBe('0a'.repeat(32));
  expect(pinnedDigest(parseLocation('oci://ghcr.io/a:v1'))).toBeUndefined();
});
