import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Protocol } from '../events.ts';
import type { XdsClient } from '../testing/clients.ts';
import { type ErrorText, naming, refusingHarness, silent, takeAll } from '../testing/refusing.ts';
import { TypeUrl } from '../type-urls.ts';

const { cluster, secret } = TypeUrl;
const mesh = { [cluster]: { a: '1', b: '1', c: '1' } };
const isBad = (content: string): boolean => content.startsWith('bad');
const texts: readonly (readonly [string, ErrorText])[] = [
  ['names it', naming],
  ['says nothing', silent],
];

describe.each<Protocol>(['delta', 'sotw'])('%s', (protocol) => {
  const start = (client: XdsClient, type: string = cluster, names: readonly string[] = []): void => {
    client.subscribe(type, names);
    takeAll(client, isBad, naming);
  };

  test.each(texts)('what is refused falls back, the rest is taken (the client %s)', (_, text) => {
    const { harness, refusals } = refusingHarness(mesh);
    const client = harness.open(protocol);
    start(client);
    harness.edit([cluster, 'a', '2'], [cluster, 'b', 'bad'], [cluster, 'c', '2'], [cluster, 'new', 'bad']);
    expect(takeAll(client, isBad, text)).toBeLessThan(10);
    expect(client.contents(cluster)).toEqual({ a: '2', b: '1', c: '2' });
    expect(refusals.list().map(({ name, convicted }) => [name, convicted])).toEqual([
      ['b', true],
      ['new', true],
    ]);
    // Later changes come, and the refused one isn't tried again.
    harness.edit([cluster, 'a', '3']);
    expect(takeAll(client, isBad, text)).toBe(1);
    expect(client.contents(cluster)).toEqual({ a: '3', b: '1', c: '2' });
  });

  test('it ends when the resource is mended, or gone', () => {
    const { harness, refusals, log } = refusingHarness(mesh);
    const client = harness.open(protocol);
    start(client);
    harness.edit([cluster, 'a', 'bad'], [cluster, 'b', 'bad']);
    takeAll(client, isBad, naming);
    expect(refusals.list()).toHaveLength(2);
    harness.edit([cluster, 'a', '2'], [cluster, 'b', undefined]);
    takeAll(client, isBad, naming);
    expect(client.contents(cluster)).toEqual({ a: '2', c: '1' });
    expect(refusals.list()).toEqual([]);
    expect(log).toEqual(['suspected a', 'suspected b', 'convicted a', 'convicted b', 'replaced a', 'replaced b']);
  });

  test('others get what was accepted before; without that each decides for itself', () => {
    const { harness, refusals } = refusingHarness(mesh);
    const first = harness.open(protocol);
    start(first);
    harness.edit([cluster, 'a', 'bad'], [cluster, 'new', 'bad']);
    takeAll(first, isBad, naming);
    const second = harness.open(protocol);
    second.subscribe(cluster);
    const answer = second.take();
    expect(answer?.resources).toEqual(
      new Map([
        ['a', '1'],
        ['b', '1'],
        ['c', '1'],
        ['new', 'bad'],
      ]),
    );
    second.nack(answer!, naming(['new']));
    takeAll(second, isBad, naming);
    expect(second.contents(cluster)).toEqual({ a: '1', b: '1', c: '1' });
    expect(refusals.list().map(({ refusedBy }) => refusedBy.size)).toEqual([1, 2]);
  });

  test('what must not be reverted is kept from new clients, and left with those that hold it', () => {
    const asked: number[] = [];
    const { harness } = refusingHarness(mesh, {
      mustNotRevert: (_client, _type, name, since) => {
        asked.push(since);
        return name === 'a';
      },
    });
    const first = harness.open(protocol);
    start(first);
    harness.edit([cluster, 'a', 'bad'], [cluster, 'b', 'bad']);
    takeAll(first, isBad, naming);
    expect(first.contents(cluster)).toEqual({ a: '1', b: '1', c: '1' });
    const second = harness.open(protocol);
    start(second);
    expect(second.contents(cluster)).toEqual({ b: '1', c: '1' });
    // Another version is refused: what is held stems from the time before the first one.
    harness.edit([cluster, 'c', '2'], [cluster, 'a', 'bad2']);
    takeAll(first, isBad, naming);
    expect(asked).toEqual([0, 0, 0]);
  });

  test('who accepts it frees it for all', () => {
    const { harness, refusals } = refusingHarness(mesh);
    const [first, second] = [harness.open(protocol), harness.open(protocol)];
    start(first);
    start(second);
    harness.edit([cluster, 'a', '2']);
    takeAll(first, (content) => content === '2', naming);
    expect(first.contents(cluster)['a']).toBe('1');
    expect(refusals.list()).toHaveLength(1);
    second.ackAll();
    expect(refusals.list()).toEqual([]);
    harness.clock.advance(100);
    first.ackAll();
    expect(first.contents(cluster)['a']).toBe('2');
  });

  test('what a client refuses that others have accepted is nobody’s suspect, and not sent again', () => {
    const { harness, refusals } = refusingHarness(mesh);
    const [first, second] = [harness.open(protocol), harness.open(protocol)];
    start(first);
    start(second);
    harness.edit([cluster, 'a', '2']);
    first.ackAll();
    expect(takeAll(second, () => true, silent)).toBe(1);
    expect(refusals.list()).toEqual([]);
  });

  test('other classes of clients are served what was generated', () => {
    let classes = 0;
    const { harness } = refusingHarness(mesh, { classOf: () => `${(classes += 1)}` });
    const [first, second] = [harness.open(protocol), harness.open(protocol)];
    start(first);
    second.subscribe(cluster);
    second.ackAll();
    harness.edit([cluster, 'a', 'bad']);
    takeAll(first, isBad, naming);
    second.ackAll();
    expect([first, second].map((client) => client.contents(cluster)['a'])).toEqual(['1', 'bad']);
  });

  test('secrets never fall back', () => {
    const { harness, refusals } = refusingHarness({ [secret]: { key: '1' } });
    const client = harness.open(protocol);
    start(client, secret, ['key']);
    harness.edit([secret, 'key', 'bad']);
    expect(takeAll(client, isBad, naming)).toBe(1);
    expect(refusals.list()).toEqual([]);
  });

  test('a client that refuses everything is left alone', () => {
    const { harness } = refusingHarness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    expect(
      takeAll(
        client,
        () => true,
        () => 'no',
      ),
    ).toBeLessThan(12);
    const other = harness.open(protocol);
    start(other);
    expect(other.contents(cluster)).toEqual({ a: '1', b: '1', c: '1' });
  });

  test('whoever leaves is forgotten, but not what was accepted for some time', () => {
    const { harness, refusals } = refusingHarness(mesh);
    const first = harness.open(protocol);
    start(first);
    harness.edit([cluster, 'a', 'bad'], [cluster, 'new', 'bad']);
    takeAll(first, isBad, naming);
    first.stream.hangUp();
    expect(refusals.list().map(({ name }) => name)).toEqual(['a']);
    const second = harness.open(protocol);
    start(second);
    expect(second.contents(cluster)['a']).toBe('1');
    harness.clock.advance(600_000);
    second.stream.hangUp();
    expect(refusals.list()).toEqual([]);
  });

  test('any bad resources, in any order: the rest is as if they were not there, and it comes to rest', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const edits = fc.array(
      fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom('1', '2', '3', 'bad1', 'bad2', undefined)), {
        minLength: 1,
        maxLength: 6,
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(edits, fc.constantFrom(naming, silent), fc.integer({ min: 1, max: 3 }), (steps, text, count) => {
        const { harness, refusals } = refusingHarness({ [cluster]: {} });
        const clients = Array.from({ length: count }, () => harness.open(protocol));
        for (const client of clients) client.subscribe(cluster);
        const latest = new Map<string, string>();
        const settle = (): number => {
          let taken = 0;
          for (let before = -1; before !== taken;) {
            before = taken;
            for (const client of clients) taken += takeAll(client, isBad, text);
            harness.clock.advance(200);
          }
          return taken;
        };
        settle();
        for (const step of steps) {
          for (const [name, content] of step) {
            if (content === undefined) latest.delete(name);
            else latest.set(name, content);
          }
          harness.edit(...step.map(([name, content]) => [cluster, name, content] as const));
          // Found by halves: a few answers for each of six resources, for each client.
          expect(settle()).toBeLessThan(30 * count);
          for (const client of clients) {
            const held = client.contents(cluster);
            for (const name of names) {
              const wanted = latest.get(name);
              if (wanted === undefined) expect(held).not.toHaveProperty(name);
              else if (!isBad(wanted)) expect(held[name]).toBe(wanted);
            }
          }
        }
        const refused = new Set(refusals.list().map(({ name }) => name));
        expect(refused).toEqual(new Set([...latest].filter(([, content]) => isBad(content)).map(([name]) => name)));
        expect(settle()).toBe(0);
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});
