import { expect, test } from '@jest/globals';
import type { Node } from '@kedge/envoy-api';
import { envoyClass } from './envoy-class.ts';

const build = (minorNumber: number, ...extensions: readonly string[]): Node => ({
  id: `sidecar~10.0.0.${minorNumber}~a.b~c`,
  userAgentName: 'envoy',
  userAgentBuildVersion: { version: { majorNumber: 1, minorNumber } },
  extensions: extensions.map((name) => ({ category: 'envoy.filters.http', name })),
});

test('proxies of one version with the same extensions are alike, whoever they are', () => {
  expect(envoyClass({ ...build(30, 'a', 'b'), id: 'other' })).toBe(envoyClass(build(30, 'b', 'a')));
  expect(envoyClass(build(30, 'a'))).toMatch(/^envoy 1\.30\.0, extensions [0-9a-f]{8}$/);
  expect(new Set([build(30), build(31), build(30, 'a'), build(30, 'b')].map(envoyClass)).size).toBe(4);
});

test('what a node doesn’t say', () => {
  expect(envoyClass({})).toBe('unknown');
  expect(envoyClass({ metadata: { ISTIO_VERSION: '1.32.0' } })).toBe('unknown, Istio 1.32.0');
});
