import { expect, test } from '@jest/globals';
import { applyChanges, type ConfigChange } from '@kedge/config';
import type { Config } from '@kedge/model';
import { servicesOfHost } from '../aggregate.ts';
import { meshOf, objectsOf, sidecar } from '../testing.ts';
import { AddressAllocator } from './allocation.ts';

const anyone = sidecar('anyone', '10.9.9.9');
const entry = (name: string, hosts: string, more = ''): Config =>
  objectsOf(
    `apiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: {name: ${name}, namespace: shop}\nspec: {hosts: [${hosts}], resolution: DNS${more}}\n`,
  )[0] as Config;

function mesh(ipv4: string) {
  const memo = meshOf('');
  const allocator = new AddressAllocator({ ipv4, ipv6: '2001:2::/48' });
  return (changes: readonly ConfigChange[], ...hosts: readonly string[]): readonly (readonly string[])[] => {
    const edit = applyChanges(memo.snapshot.edit(), changes);
    allocator.apply(edit, changes);
    memo.advance(edit.commit());
    return hosts.map((host) => memo.evaluate(anyone, servicesOfHost, host)[0]?.autoAllocated ?? []);
  };
}

const put = (object: Config, old?: Config): ConfigChange => ({ key: object, old, new: object });

test('an address of each family, which does not depend on what else there is', () => {
  const a = entry('a', 'a.example, "*.b.example"');
  const [alone, wildcard] = mesh('240.240.0.0/16')([put(a)], 'a.example', '*.b.example');
  expect(alone).toHaveLength(2);
  expect(alone?.[0]).toMatch(/^240\.240\./);
  expect(alone?.[1]).toMatch(/^2001:2::/);
  expect(wildcard).toEqual([]);
  expect(mesh('240.240.0.0/16')([put(entry('b', 'b.example')), put(a)], 'a.example')[0]).toEqual(alone);
});

test('no address is given twice, one that is free again is given anew, and a full range gives none', () => {
  const change = mesh('240.240.0.0/30');
  const [a, b, c] = ['a', 'b', 'c'].map((name) => entry(name, `${name}.example`)) as [Config, Config, Config];
  const first = change([put(a), put(b), put(c)], 'a.example', 'b.example', 'c.example').map(([ipv4]) => ipv4);
  expect(first.slice(0, 2).sort()).toEqual(['240.240.0.1', '240.240.0.2']);
  expect(first[2]).toBeUndefined();
  const own = entry('a', 'a.example', ', addresses: [1.1.1.1]');
  expect(change([put(own, a), put(c, c)], 'a.example', 'b.example', 'c.example').map(([ipv4]) => ipv4)).toEqual([
    undefined,
    first[1],
    first[0],
  ]);
});
