import { expect, test } from '@jest/globals';
import { Harness } from './testing/harness.ts';
import { TypeUrl } from './type-urls.ts';

const { cluster, endpoint } = TypeUrl;
const mesh = { [cluster]: { a: '1', b: '1' }, [endpoint]: { a: 'x', b: 'y' } };

test('clusters come complete, so that absence means removal', () => {
  const harness = new Harness(mesh);
  const client = harness.open('sotw');
  client.subscribe(cluster);
  client.ackAll();
  harness.edit([cluster, 'c', '1']);
  expect([...(client.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['a', 'b', 'c']);
  harness.edit([cluster, 'a', undefined]);
  expect([...(client.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['b', 'c']);
});

test('of assignments only what is newly asked for or changed comes', () => {
  const harness = new Harness(mesh);
  const client = harness.open('sotw');
  client.subscribe(endpoint, ['a']);
  client.ackAll();
  client.subscribe(endpoint, ['b']);
  expect([...(client.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['b']);
  client.unsubscribe(endpoint, ['a']);
  expect(client.waiting).toBe(0);
  harness.edit([endpoint, 'a', '2']);
  expect(client.waiting).toBe(0);
});

test('a name that does not exist is answered with nothing', () => {
  const client = new Harness(mesh).open('sotw');
  client.subscribe(endpoint, ['none']);
  expect(client.ackAll()).toMatchObject([{ resources: new Map() }]);
  client.subscribe(endpoint, ['none2']);
  expect(client.ackAll()).toMatchObject([{ resources: new Map() }]);
});

test('no names mean everything at first, and nothing once names were given', () => {
  const harness = new Harness(mesh);
  const [all, some] = [harness.open('sotw'), harness.open('sotw')];
  all.subscribe(cluster);
  expect(all.ackAll()[0]?.resources.size).toBe(2);
  some.subscribe(cluster, ['a']);
  expect([...(some.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['a']);
  some.unsubscribe(cluster, ['a']);
  harness.edit([cluster, 'a', '2']);
  expect(some.waiting).toBe(0);
  some.subscribe(cluster, ['*']);
  expect(some.ackAll()[0]?.resources.size).toBe(2);
});

test('a client that begins anew without a nonce gets all again', () => {
  const client = new Harness(mesh).open('sotw');
  client.subscribe(cluster);
  client.ackAll();
  client.send({ typeUrl: cluster });
  expect(client.ackAll()[0]?.resources.size).toBe(2);
});

test('a second request that overtakes the first answer is answered after its ACK', () => {
  const client = new Harness(mesh).open('sotw');
  client.send({ typeUrl: endpoint, resourceNames: ['a'] });
  client.send({ typeUrl: endpoint, resourceNames: ['a', 'b'] });
  const first = client.take();
  expect(client.waiting).toBe(0);
  client.send({ typeUrl: endpoint, resourceNames: ['a', 'b'], responseNonce: first?.nonce });
  expect([...(client.take()?.resources.keys() ?? [])]).toEqual(['b']);
});

test('a client that reconnects gets routes to new clusters once these are accepted', () => {
  const harness = new Harness({ ...mesh, [TypeUrl.route]: { l: '1' } });
  const client = harness.open('sotw');
  client.subscribe(cluster);
  client.subscribe(TypeUrl.route, ['l']);
  client.ackAll();
  client.stream.hangUp();
  harness.edit([cluster, 'c', '1'], [TypeUrl.route, 'l', 'to c']);
  const next = client.reconnect(harness.stream('sotw'));
  const clusters = next.take();
  expect(next.waiting).toBe(0);
  if (clusters) next.ack(clusters);
  expect(next.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([TypeUrl.route]);
});

test('what is given up and asked for again while another answer is under way comes again', () => {
  const harness = new Harness(mesh);
  const client = harness.open('sotw');
  client.subscribe(endpoint, ['a', 'b']);
  client.ackAll();
  harness.edit([endpoint, 'b', '2']);
  client.unsubscribe(endpoint, ['a']);
  client.subscribe(endpoint, ['a']);
  client.ackAll();
  expect(client.contents(endpoint)).toEqual({ a: 'x', b: '2' });
});

test('a client that reconnects with the version of a wildcard that is still current gets no answer', () => {
  const harness = new Harness(mesh);
  const client = harness.open('sotw');
  client.subscribe(cluster);
  client.subscribe(endpoint, ['a']);
  client.ackAll();
  client.stream.hangUp();
  harness.edit([endpoint, 'b', '2']);
  const same = client.reconnect(harness.stream('sotw'));
  // Names are answered, since the client may have dropped what it had.
  expect(same.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([endpoint]);
  harness.edit([cluster, 'a', '2']);
  expect(same.ackAll()[0]?.resources.size).toBe(2);

  same.stream.hangUp();
  harness.edit([cluster, 'a', '3']);
  expect(same.reconnect(harness.stream('sotw')).ackAll()).toHaveLength(2);
});
