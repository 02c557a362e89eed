import { expect, test } from '@jest/globals';
import { Harness } from './testing/harness.ts';
import { TypeUrl } from './type-urls.ts';

const { cluster, endpoint, listener, route } = TypeUrl;
const mesh = { [cluster]: { a: '1', b: '1' }, [endpoint]: { a: 'x', b: 'y' } };

test('what is gone is named as removed', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.subscribe(cluster);
  client.ackAll();
  harness.edit([cluster, 'a', undefined]);
  expect(client.ackAll()).toMatchObject([{ removed: ['a'] }]);
  expect(client.contents(cluster)).toEqual({ b: '1' });
});

test('a name that is asked for is answered, also where there is nothing, and each time', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.subscribe(endpoint, ['a', 'none']);
  expect(client.ackAll()).toMatchObject([{ resources: new Map([['a', 'x']]), removed: ['none'] }]);
  client.subscribe(endpoint, ['none', 'a']);
  expect(client.ackAll()).toMatchObject([{ resources: new Map([['a', 'x']]), removed: ['none'] }]);
});

test('what is unsubscribed is no longer sent, and comes again when it is asked for again', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.subscribe(endpoint, ['a', 'b']);
  client.ackAll();
  client.unsubscribe(endpoint, ['a']);
  harness.edit([endpoint, 'a', '2']);
  harness.edit([endpoint, 'a', undefined]);
  expect(client.waiting).toBe(0);
  harness.edit([endpoint, 'a', 'x']);
  client.subscribe(endpoint, ['a']);
  expect(client.ackAll()).toMatchObject([{ resources: new Map([['a', 'x']]) }]);
});

test('names that are added while an answer is in flight are answered after its ACK', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.subscribe(endpoint, ['a']);
  const first = client.take();
  client.subscribe(endpoint, ['b']);
  expect(client.waiting).toBe(0);
  if (first) client.ack(first);
  expect(client.ackAll()).toMatchObject([{ resources: new Map([['b', 'y']]) }]);
});

test('a client that reconnects gets only what it lacks', () => {
  const harness = new Harness({ ...mesh, [listener]: { l: '1' }, [route]: { l: '1' } });
  const client = harness.open('delta');
  client.subscribe(cluster);
  client.subscribe(endpoint, ['a', 'b']);
  client.subscribe(listener);
  client.subscribe(route, ['l']);
  client.ackAll();
  client.stream.hangUp();
  const same = client.reconnect(harness.stream('delta'));
  expect(same.waiting).toBe(0);

  same.stream.hangUp();
  harness.edit([cluster, 'b', undefined], [cluster, 'c', '1'], [endpoint, 'a', '2'], [endpoint, 'b', undefined]);
  const next = same.reconnect(harness.stream('delta'));
  const answers = next.ackAll();
  expect(next.contents(cluster)).toEqual({ a: '1', c: '1' });
  expect(next.contents(endpoint)).toEqual({ a: '2' });
  expect(answers.flatMap(({ resources }) => [...resources.keys()])).toEqual(['c', 'a']);
  expect(answers.flatMap(({ removed }) => removed).sort()).toEqual(['b', 'b']);
});

test('the assignment of a cluster that changed while the client was away follows, though it is the same', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.subscribe(cluster);
  client.subscribe(endpoint, ['a', 'b']);
  client.ackAll();
  client.stream.hangUp();
  harness.edit([cluster, 'a', '2']);
  const answers = client.reconnect(harness.stream('delta')).ackAll();
  expect(answers.map(({ typeUrl, resources }) => [typeUrl, ...resources.keys()])).toEqual([
    [cluster, 'a'],
    [endpoint, 'a'],
  ]);
});

test('the same for a cluster that it never got to see', () => {
  const harness = new Harness({ [endpoint]: { a: 'x' } });
  const client = harness.open('delta');
  client.subscribe(cluster);
  client.subscribe(endpoint, ['a']);
  client.ackAll();
  harness.edit([cluster, 'a', '1']);
  client.stream.hangUp();
  const answers = client.reconnect(harness.stream('delta')).ackAll();
  expect(answers.map(({ typeUrl, resources }) => [typeUrl, ...resources.keys()])).toEqual([
    [cluster, 'a'],
    [endpoint, 'a'],
  ]);
});

test('an empty wildcard is answered, too', () => {
  const client = new Harness({}).open('delta');
  client.subscribe(cluster);
  expect(client.ackAll()).toHaveLength(1);
});

test('an asterisk and names can stand together, come and go', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.subscribe(cluster, ['*', 'a']);
  expect([...(client.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['a', 'b']);
  // Of a name that is given up under a wildcard the client is told again.
  client.send({ typeUrl: cluster, resourceNamesUnsubscribe: ['a'] });
  expect([...(client.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['a']);
  client.send({ typeUrl: cluster, resourceNamesSubscribe: ['b'], resourceNamesUnsubscribe: ['*'] });
  client.ackAll();
  harness.edit([cluster, 'a', '2']);
  expect(client.waiting).toBe(0);
  // The client has dropped what only the asterisk had covered.
  client.send({ typeUrl: cluster, resourceNamesSubscribe: ['*'] });
  expect([...(client.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['a', 'b']);
});

test('subscribing and unsubscribing the asterisk at once means nothing yet', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.send({ typeUrl: cluster, resourceNamesSubscribe: ['*'], resourceNamesUnsubscribe: ['*'] });
  expect(client.waiting).toBe(0);
  client.subscribe(cluster, ['a']);
  expect([...(client.ackAll()[0]?.resources.keys() ?? [])]).toEqual(['a']);
});

test('a type that knows no wildcard gives nothing unasked', () => {
  const client = new Harness(mesh).open('delta');
  client.subscribe(endpoint);
  expect(client.waiting).toBe(0);
});
