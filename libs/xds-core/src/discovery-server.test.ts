import { describe, expect, test } from '@jest/globals';
import { Answer } from './answer.ts';
import { GeneratorRegistry } from './generator-registry.ts';
import { Harness } from './testing/harness.ts';
import { testGenerators } from './testing/mesh.ts';
import { TypeUrl } from './type-urls.ts';

const { cluster, endpoint, listener, route } = TypeUrl;
const mesh = {
  [cluster]: { a: '1', b: '1' },
  [endpoint]: { a: 'x', b: 'y' },
  [listener]: { l: '1' },
  [route]: { l: 'r' },
};

describe.each(['delta', 'sotw'] as const)('%s', (protocol) => {
  test('a client gets what it asks for, then what changes', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    expect(client.ackAll()).toHaveLength(1);
    expect(client.contents(cluster)).toEqual({ a: '1', b: '1' });
    client.subscribe(endpoint, ['a', 'b']);
    client.ackAll();
    expect(client.contents(endpoint)).toEqual({ a: 'x', b: 'y' });

    harness.edit([endpoint, 'a', 'z']);
    const pushed = client.ackAll();
    expect(pushed.map(({ typeUrl, resources }) => [typeUrl, ...resources.keys()])).toEqual([[endpoint, 'a']]);
    expect(client.contents(endpoint)).toEqual({ a: 'z', b: 'y' });
  });

  test('a push that changes nothing for a client sends nothing', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.subscribe(endpoint, ['a']);
    client.ackAll();
    harness.edit([endpoint, 'b', 'new'], [cluster, 'a', '1']);
    expect(client.waiting).toBe(0);
    expect(harness.of('unchanged').map(({ typeUrl }) => typeUrl)).toEqual([cluster, endpoint]);
  });

  test('the types of a push come in their order', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(route, ['l']);
    client.subscribe(listener);
    client.subscribe(endpoint, ['a']);
    client.subscribe(cluster);
    client.ackAll();
    harness.edit([route, 'l', 'n'], [listener, 'l', 'n'], [endpoint, 'a', 'n'], [cluster, 'a', 'n']);
    expect(client.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([cluster, endpoint, listener, route]);
  });

  test('one answer of a type is in flight; what changes meanwhile comes merged after its ACK', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.ackAll();
    harness.edit([cluster, 'a', '2']);
    const first = client.take();
    harness.edit([cluster, 'a', '3']);
    harness.edit([cluster, 'b', '2']);
    expect(client.waiting).toBe(0);
    if (first) client.ack(first);
    expect(client.waiting).toBe(1);
    client.ackAll();
    expect(client.contents(cluster)).toEqual({ a: '3', b: '2' });
  });

  test('a refusal is kept, redacted, and what was refused is not sent again until it changes', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    const first = client.take();
    if (first) client.nack(first, 'bad: inline_string: "hunter2"');
    harness.edit([endpoint, 'a', '2']);
    expect(client.waiting).toBe(0);
    const [status] = harness.server.clients();
    expect(status?.watched[0]?.nack).toMatchObject({ code: 13, message: 'bad: inline_string: [redacted]' });
    expect(status?.watched[0]?.nonceAcked).toBe('');
    expect(harness.of('nack')).toHaveLength(1);

    harness.edit([cluster, 'b', '2']);
    // Nothing of the refused answer counts as held.
    expect([...(client.ackAll()[0]?.resources ?? [])]).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(harness.server.clients()[0]?.watched[0]?.nack).toBeUndefined();
  });

  test('going back to what was accepted before a refusal is sent too', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.ackAll();
    harness.edit([cluster, 'a', 'bad']);
    const refused = client.take();
    if (refused) client.nack(refused);
    harness.edit([cluster, 'a', '1']);
    expect(client.ackAll()[0]?.resources.get('a')).toBe('1');
  });

  test('other types go on while one is refused or unanswered', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.take();
    client.subscribe(endpoint, ['a']);
    client.ackAll();
    harness.edit([endpoint, 'a', '2'], [cluster, 'a', '2']);
    expect(client.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([endpoint]);
  });

  test('an answer that is never acknowledged counts as lost after a time', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.take();
    harness.edit([cluster, 'c', '1']);
    expect(client.waiting).toBe(0);
    harness.clock.advance(15_000);
    expect(harness.of('ackTimeout')).toHaveLength(1);
    expect([...(client.take()?.resources.keys() ?? [])].sort()).toEqual(['a', 'b', 'c']);
    harness.clock.advance(60_000);
    expect(client.waiting).toBe(0);
  });

  test('a stale nonce settles nothing', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    const first = client.take();
    if (!first) throw new Error('no answer');
    client.ack({ ...first, nonce: 'other' });
    expect(harness.of('staleNonce')).toHaveLength(1);
    harness.edit([cluster, 'a', '2']);
    expect(client.waiting).toBe(0);
    client.ack(first);
    expect(client.waiting).toBe(1);
  });

  test('a client that takes no bytes is not pushed to, delays nobody, and catches up in one step', () => {
    const harness = new Harness(mesh, { concurrentPushLimit: 1 });
    const [stuck, other] = [harness.open(protocol), harness.open(protocol)];
    for (const client of [stuck, other]) {
      client.subscribe(cluster);
      client.ackAll();
    }
    stuck.stream.stick();
    for (let index = 2; index < 40; index += 1) {
      harness.edit([cluster, 'a', `${index}`]);
      // Its place is free again after a moment, and it gets no other.
      if (index === 2) harness.clock.advance(100);
      other.ackAll();
      expect(other.contents(cluster)).toMatchObject({ a: `${index}` });
    }
    expect(stuck.waiting).toBe(1);
    stuck.ackAll();
    stuck.stream.unstick();
    expect(stuck.ackAll()).toHaveLength(1);
    expect(stuck.contents(cluster)).toMatchObject({ a: '39' });
  });

  test('equal clients share differences and bodies', () => {
    const harness = new Harness(mesh);
    const clients = Array.from({ length: 20 }, () => harness.open(protocol));
    for (const client of clients) {
      client.subscribe(cluster);
      client.ackAll();
    }
    const before = harness.server.counters().differences;
    harness.edit([cluster, 'a', '2']);
    for (const client of clients) client.ackAll();
    expect(harness.server.counters().differences - before).toBe(1);
  });

  test('clients share, too, what was generated for each of them', () => {
    const shared = testGenerators();
    const apart: typeof shared = new GeneratorRegistry([
      [
        cluster,
        {
          generate: (context) => {
            const answer = shared.find(cluster, { nodeType: 'sidecar' })?.generate(context);
            return answer && new Answer([...answer.resources]);
          },
        },
      ],
    ]);
    const harness = new Harness(mesh, { generators: apart });
    const clients = Array.from({ length: 20 }, () => harness.open(protocol));
    for (const client of clients) {
      client.subscribe(cluster);
      client.ackAll();
    }
    const before = harness.server.counters().differences;
    harness.edit([cluster, 'a', '2']);
    for (const client of clients) client.ackAll();
    expect(harness.server.counters().differences - before).toBe(1);
  });

  test('a type that nobody generates gets no answer, and the stream goes on', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe('type.googleapis.com/unknown.Type');
    client.subscribe(cluster);
    expect(client.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([cluster]);
    expect(harness.of('unknownType')).toHaveLength(1);
  });

  test('a generator that throws leaves the client as it is, and other types go on', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.subscribe(endpoint, ['a']);
    client.ackAll();
    harness.edit([endpoint, 'a', 'throw'], [cluster, 'a', '2']);
    expect(client.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([cluster]);
    expect(harness.of('generateFailed')).not.toHaveLength(0);
    harness.edit([endpoint, 'a', '3']);
    client.ackAll();
    expect(client.contents(endpoint)).toEqual({ a: '3' });
  });

  test('a snapshot that cannot be made leaves everything as it is', () => {
    const harness = new Harness(mesh, {
      nextSnapshot: () => {
        throw new Error('broken');
      },
    });
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.ackAll();
    harness.edit([cluster, 'a', '2']);
    expect(client.waiting).toBe(0);
    expect(harness.of('snapshotFailed')).toHaveLength(1);
  });

  test('needsPush says which types a push concerns', () => {
    const scopes = ['none', new Set([endpoint]), 'all'] as const;
    let push = 0;
    const harness = new Harness(mesh, { needsPush: () => scopes[push++] ?? 'all' });
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.subscribe(endpoint, ['a']);
    client.ackAll();
    const sent = [1, 2, 3].map((content) => {
      harness.edit([cluster, 'a', `${content}`], [endpoint, 'a', `${content}`]);
      return client.ackAll().map(({ typeUrl }) => typeUrl);
    });
    expect(sent).toEqual([[], [endpoint], [cluster, endpoint]]);
    expect(harness.of('skipped')).toHaveLength(1);
  });

  test('a request is answered from the latest snapshot, together with what the push has for the client', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.ackAll();
    harness.server.configUpdate({ edits: [[cluster, 'a', '2']] });
    // The push is made but waits for its turn in the queue when the request comes.
    harness.clock.soon = () => undefined;
    harness.clock.advance(100);
    client.subscribe(route, ['l']);
    expect(client.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([cluster, route]);
    expect(harness.server.counters().queued).toBe(0);
  });
});

test('events tell the course of a push', () => {
  const harness = new Harness(mesh);
  const client = harness.open('delta');
  client.subscribe(cluster);
  client.ackAll();
  harness.events.length = 0;
  harness.server.configUpdate({ edits: [[cluster, 'a', '2']] });
  harness.clock.advance(40);
  harness.server.configUpdate({ edits: [[cluster, 'b', '2']] });
  harness.clock.advance(100);
  client.ackAll();
  expect(harness.events.map(({ kind }) => kind)).toEqual([
    'configUpdate',
    'configUpdate',
    'debounced',
    'pushStarted',
    'queued',
    'dequeued',
    'sent',
    'pushed',
    'request',
    'ack',
  ]);
  expect(harness.of('debounced')[0]).toMatchObject({ merged: 2, quietMs: 100, waitedMs: 140 });
  expect(harness.of('pushStarted')[0]).toMatchObject({ push: 1, connections: 1, debounceMs: 140 });
  const [sent] = harness.of('sent');
  expect(sent).toMatchObject({ push: 1, reason: 'push', resources: 2, removed: 0 });
  expect(sent?.bytes).toBe(client.stream.written.at(-1)?.length);
  expect(sent?.version).toBe(harness.server.pushVersion);
  expect(harness.server.pushVersion).toMatch(/^2024-01-01T00:00:00\.140Z\/1$/);
});

test('the state of a connection can be shown', () => {
  const harness = new Harness({ ...mesh, [TypeUrl.secret]: { key: 'hunter2' } });
  const client = harness.open('delta');
  client.subscribe(endpoint, ['b', 'a']);
  client.subscribe(TypeUrl.secret, ['key']);
  client.ackAll();
  const [status] = harness.server.clients();
  expect(status).toMatchObject({ id: `${status?.nodeId}-1`, protocol: 'delta', client: { node: status?.nodeId } });
  const [endpoints, secrets] = status?.watched ?? [];
  expect(endpoints).toMatchObject({ typeUrl: endpoint, wildcard: false, names: ['a', 'b'] });
  expect(endpoints?.nonceAcked).toBe(endpoints?.nonceSent);
  expect(endpoints?.answer.resources.map(({ name }) => name)).toEqual(['a', 'b']);
  // What is secret is shown nowhere.
  expect(secrets?.answer.resources).toEqual([]);
});
