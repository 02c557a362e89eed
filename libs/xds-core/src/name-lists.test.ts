import { expect, test } from '@jest/globals';
import { encode } from '@kedge/envoy-api';
import { delta } from './delta-stream.ts';
import { NameLists } from './name-lists.ts';
import { sotw } from './sotw-stream.ts';

const names = Array.from({ length: 1000 }, (_, index) => `outbound|80||service-${index}.shop`);
const typeUrl = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';

const ofSotw = (resourceNames: readonly string[], responseNonce: string): Uint8Array =>
  encode('envoy.service.discovery.v3.DiscoveryRequest', {
    versionInfo: 'v1',
    node: { id: 'node' },
    resourceNames,
    typeUrl,
    responseNonce,
  });

test('a long list that comes again is the identical list, whoever sends it and whatever else he says', () => {
  const lists = new NameLists();
  const first = sotw.decode(ofSotw(names, '1'), lists);
  const again = sotw.decode(ofSotw(names, '2'), lists);
  expect(again.names).toBe(first.names);
  expect(again).toEqual({ ...first, nonce: '2' });
  const other = encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
    typeUrl,
    resourceNamesSubscribe: names,
    initialResourceVersions: { a: '1' },
  });
  expect(delta.decode(other, lists)).toMatchObject({ typeUrl, names, initialVersions: { a: '1' } });
});

test('lists that differ in one letter or in length are told apart', () => {
  const lists = new NameLists();
  const changed = names.with(500, 'outbound|80||service-5oo.shop');
  for (const list of [names.slice(0, 500), names, changed, names.slice(1), names, names.slice(0, 500)]) {
    expect(sotw.decode(ofSotw(list, ''), lists).names).toEqual(list);
  }
});

test('names that do not stand together are all read', () => {
  const lists = new NameLists();
  const scattered = Buffer.concat([ofSotw(names, '1'), ofSotw(['another'], '2')]);
  for (let time = 0; time < 2; time += 1) {
    expect(sotw.decode(scattered, lists)).toMatchObject({ names: [...names, 'another'], nonce: '2' });
    expect(sotw.decode(ofSotw(names, '1'), lists)).toMatchObject({ names, nonce: '1' });
  }
});

test('a malformed request is refused, also with a known list', () => {
  const lists = new NameLists();
  const bytes = ofSotw(names, '1');
  sotw.decode(bytes, lists);
  expect(() => sotw.decode(bytes.subarray(0, -1), lists)).toThrow();
});

test('only the latest lists are known', () => {
  const lists = new NameLists();
  const first = sotw.decode(ofSotw(names, ''), lists).names;
  for (let count = 1; count <= 40; count += 1) sotw.decode(ofSotw(names.slice(count), ''), lists);
  expect(sotw.decode(ofSotw(names, ''), lists).names).not.toBe(first);
});
