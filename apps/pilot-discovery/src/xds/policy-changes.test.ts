import { expect, test } from '@jest/globals';
import { PolicyChanges } from './policy-changes.ts';

const read = new Set(['AuthorizationPolicy.namespace(shop)', 'VirtualService.namespace(shop)', 'MeshConfig[]']);

test('policies that were read and have changed since', () => {
  const changes = new PolicyChanges();
  changes.add(3, ['AuthorizationPolicy[shop/a]', 'AuthorizationPolicy.namespace(shop)', 'AuthorizationPolicy[*]']);
  changes.add(4, ['VirtualService.namespace(shop)', 'MeshConfig[]']);
  changes.add(5, ['AuthorizationPolicy.namespace(other)']);
  expect([1, 2, 3, 4].map((since) => changes.concern(read, since))).toEqual([true, true, false, false]);
});

test('what is forgotten may have concerned anything', () => {
  const changes = new PolicyChanges(2);
  for (const push of [3, 4, 5]) changes.add(push, ['PeerAuthentication[a/b]']);
  expect([2, 3].map((since) => changes.concern(read, since))).toEqual([true, false]);
});
