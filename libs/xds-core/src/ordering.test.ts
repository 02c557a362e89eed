import { describe, expect, test } from '@jest/globals';
import type { Received, XdsClient } from './testing/clients.ts';
import { Harness } from './testing/harness.ts';
import { TypeUrl } from './type-urls.ts';

const { cluster, endpoint, listener, route } = TypeUrl;
const mesh = {
  [cluster]: { a: '1', b: '1' },
  [endpoint]: { a: 'x', b: 'y' },
  [listener]: { l: '1', m: '1' },
  [route]: { l: '1', m: '1' },
};

/** Short names of the types, with what came of each. */
function summary({ typeUrl, resources, removed }: Received): string {
  const type = { [cluster]: 'CDS', [endpoint]: 'EDS', [listener]: 'LDS', [route]: 'RDS' }[typeUrl];
  return [type, ...resources.keys(), ...removed.map((name) => `-${name}`)].join(' ');
}

function connected(harness: Harness, protocol: 'delta' | 'sotw'): XdsClient {
  const client = harness.open(protocol);
  client.subscribe(cluster);
  client.subscribe(endpoint, ['a', 'b']);
  client.subscribe(listener);
  client.subscribe(route, ['l', 'm']);
  client.ackAll();
  return client;
}

describe('what Envoy needs beyond what changed', () => {
  test.each([
    ['delta', ['CDS a', 'EDS a', 'LDS l', 'RDS l']],
    ['sotw', ['CDS a b', 'EDS a', 'LDS l m', 'RDS l']],
  ] as const)('%s: assignments follow changed clusters, routes follow changed listeners', (protocol, expected) => {
    const harness = new Harness(mesh);
    const client = connected(harness, protocol);
    harness.edit([cluster, 'a', '2'], [listener, 'l', '2']);
    expect(client.ackAll().map(summary)).toEqual(expected);
    expect(client.waiting).toBe(0);
  });

  test.each(['delta', 'sotw'] as const)('%s: they follow once nothing is in flight', (protocol) => {
    const harness = new Harness(mesh);
    const client = connected(harness, protocol);
    harness.edit([endpoint, 'b', '2']);
    const inFlight = client.take();
    harness.edit([cluster, 'a', '2']);
    expect(client.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([cluster]);
    if (inFlight) client.ack(inFlight);
    expect(client.ackAll().map(summary)).toEqual(['EDS a']);
  });

  test('nothing follows what the client does not subscribe', () => {
    const harness = new Harness(mesh);
    const client = harness.open('delta');
    client.subscribe(cluster);
    client.subscribe(endpoint, ['b']);
    client.ackAll();
    harness.edit([cluster, 'a', '2']);
    expect(client.ackAll().map(summary)).toEqual(['CDS a']);
  });
});

describe('make before break', () => {
  test.each([
    ['delta', ['CDS c', 'RDS l'], ['CDS -a']],
    ['sotw', ['CDS b c a', 'RDS l'], ['CDS b c']],
  ] as const)('%s: clusters are removed once routes that used them are replaced', (protocol, first, last) => {
    const harness = new Harness(mesh);
    const client = connected(harness, protocol);
    harness.edit([cluster, 'a', undefined], [cluster, 'c', '1'], [route, 'l', '2']);
    const clusters = client.take();
    if (clusters) client.ack(clusters);
    const routes = client.take();
    expect([clusters, routes].map((answer) => answer && summary(answer))).toEqual(first);
    expect(client.waiting).toBe(0);
    if (routes) client.ack(routes);
    expect(client.ackAll().map(summary)).toEqual(last);
    expect(client.contents(cluster)).toEqual({ b: '1', c: '1' });
  });

  test.each([
    ['delta', ['CDS c -a']],
    ['sotw', ['CDS b c']],
  ] as const)('%s: they are removed at once where no listener or route changes', (protocol, expected) => {
    const harness = new Harness(mesh);
    const client = connected(harness, protocol);
    harness.edit([cluster, 'a', undefined], [cluster, 'c', '1']);
    expect(client.ackAll().map(summary)).toEqual(expected);
  });

  test('they stay while the client refuses the routes that would replace those that use them', () => {
    const harness = new Harness(mesh);
    const client = connected(harness, 'delta');
    harness.edit([cluster, 'a', undefined], [route, 'l', '2']);
    const refused = client.take();
    if (refused) client.nack(refused);
    harness.edit([listener, 'm', '2']);
    client.ackAll();
    expect(client.contents(cluster)).toHaveProperty('a');
    harness.edit([route, 'l', '3']);
    client.ackAll();
    expect(client.contents(cluster)).not.toHaveProperty('a');
  });

  test('a new cluster reaches the client before the route to it, also when clusters are in flight', () => {
    const harness = new Harness(mesh);
    const client = connected(harness, 'delta');
    harness.edit([cluster, 'a', '2']);
    const inFlight = client.take();
    expect(client.ackAll().map(summary)).toEqual(['EDS a']);
    harness.edit([cluster, 'c', '1'], [route, 'l', 'to c']);
    expect(client.waiting).toBe(0);
    if (inFlight) client.ack(inFlight);
    expect(client.ackAll().map(summary)).toEqual(['CDS c', 'RDS l']);
  });

  test.each(['delta', 'sotw'] as const)(
    '%s: routes wait until the new clusters are warm, but not for ever',
    (protocol) => {
      const harness = new Harness(mesh);
      const client = connected(harness, protocol);
      harness.edit([cluster, 'c', '1'], [endpoint, 'a', '2'], [route, 'l', 'to c']);
      const warming = client.take();
      expect(client.ackAll().map(summary)).toEqual(['EDS a']);
      if (warming) client.ack(warming);
      expect(client.ackAll().map(summary)).toEqual(['RDS l']);

      harness.edit([cluster, 'd', '1'], [route, 'l', 'to d']);
      client.take();
      expect(client.waiting).toBe(0);
      harness.clock.advance(2_000);
      expect(client.ackAll().map(summary)).toEqual(['RDS l']);
    },
  );

  test('routes do not wait for clusters that only lose something', () => {
    const harness = new Harness(mesh);
    const client = connected(harness, 'delta');
    harness.edit([cluster, 'a', undefined]);
    client.take();
    harness.edit([cluster, 'b', undefined], [route, 'l', '2']);
    expect(client.ackAll().map(summary)).toEqual(['RDS l']);
  });

  test('a reconnected client keeps a removed cluster until it has asked for its routes and got them', () => {
    const harness = new Harness(mesh);
    const client = connected(harness, 'delta');
    client.stream.hangUp();
    harness.edit([cluster, 'a', undefined], [route, 'l', '2']);
    const next = client.reconnect(harness.stream('delta'));
    expect(next.ackAll().map(summary)).toEqual(['RDS l', 'CDS -a']);
  });

  test('a reconnected client that asks for nothing else loses it after a time', () => {
    const harness = new Harness(mesh);
    const client = harness.open('delta');
    client.subscribe(cluster);
    client.ackAll();
    client.stream.hangUp();
    harness.edit([cluster, 'a', undefined]);
    const next = client.reconnect(harness.stream('delta'));
    expect(next.waiting).toBe(0);
    harness.clock.advance(15_000);
    expect(next.ackAll().map(summary)).toEqual(['CDS -a']);
  });
});
