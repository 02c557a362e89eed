import { expect, test } from '@jest/globals';
import { servicesOfHost } from '../aggregate.ts';
import { meshOf, sidecar } from '../testing.ts';

const anyone = sidecar('anyone', '10.9.9.9');

const entry = (host: string, more = 'resolution: DNS'): string =>
  `apiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: {name: "${host.replace('*', 'all')}", namespace: shop}\nspec: {hosts: ["${host}"], ${more}}\n---\n`;

/** What the hosts are given where nobody allocates addresses. */
function given(manifest: string, ...hosts: readonly string[]): readonly (readonly string[])[] {
  const memo = meshOf(manifest, { environment: { PILOT_ENABLE_IP_AUTOALLOCATE: 'false' } });
  return hosts.map((host) => memo.evaluate(anyone, servicesOfHost, host)[0]?.autoAllocated ?? []);
}

test('an address of each family follows from the name', () => {
  expect(given(entry('h279.example'), 'h279.example')).toEqual([['240.240.45.146', '2001:2::f0f0:2d92']]);
});

test.each([
  ['one with an address of its own', 'a.example', 'resolution: DNS, addresses: [1.1.1.1]'],
  ['one that is passed through', 'a.example', 'resolution: NONE'],
  ['a wildcard', '*.a.example', 'resolution: DYNAMIC_DNS'],
])('no host is given any: %s', (_, host, spec) => {
  expect(given(entry(host, spec), host)).toEqual([[]]);
});

test('of two names that meet in a place one goes elsewhere', () => {
  const [first = [], second = []] = given(
    entry('h1401.example') + entry('h279.example'),
    'h1401.example',
    'h279.example',
  );
  expect(first).toEqual(['240.240.45.146', '2001:2::f0f0:2d92']);
  expect(second[0]).toMatch(/^240\.240\.\d+\.\d+$/);
  expect(second).not.toEqual(first);
});

test('none ends in 0 for its place being the 255th: that one and those behind go one further', () => {
  const [alone] = given(entry('h628.example'), 'h628.example');
  expect(alone?.[0]).toBe('240.240.5.1');
  const [behind] = given(entry('h279.example') + entry('h628.example'), 'h279.example');
  expect(behind?.[0]).toBe('240.240.45.147');
});
