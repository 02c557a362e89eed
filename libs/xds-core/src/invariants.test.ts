import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Protocol } from './events.ts';
import type { Received, XdsClient } from './testing/clients.ts';
import { Harness } from './testing/harness.ts';
import type { TestRequest } from './testing/mesh.ts';
import { isNamedOnly, TypeUrl } from './type-urls.ts';

const types = [TypeUrl.cluster, TypeUrl.endpoint, TypeUrl.listener, TypeUrl.route] as const;
const wildcards = [TypeUrl.cluster, TypeUrl.listener] as const;
const named = [TypeUrl.endpoint, TypeUrl.route] as const;
const names = ['a', 'b', 'c', 'd'] as const;

type Action =
  | { readonly kind: 'edit'; readonly edits: TestRequest['edits'] }
  | { readonly kind: 'wait'; readonly ms: number }
  | {
      readonly kind: 'subscribe' | 'unsubscribe';
      readonly client: number;
      readonly type: string;
      readonly names: readonly string[];
    }
  | { readonly kind: 'accept' | 'refuse' | 'stick' | 'unstick' | 'reconnect'; readonly client: number };

const client = fc.nat({ max: 1 });
const someNames = fc.subarray([...names], { minLength: 1 });
const edit = fc.tuple(
  fc.constantFrom(...types),
  fc.constantFrom(...names),
  fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined, freq: 3 }),
);

/** What may go wrong in a run. */
interface Troubles {
  readonly refusals: boolean;
  /** Answers may count as lost, and then their content comes again. */
  readonly timeouts: boolean;
}

function actionsArbitrary({ refusals, timeouts }: Troubles): fc.Arbitrary<readonly Action[]> {
  return fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('edit' as const),
          edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('wait' as const),
          ms: fc.constantFrom(50, 100, 100, timeouts ? 20_000 : 100),
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constantFrom('subscribe' as const, 'subscribe' as const, 'unsubscribe' as const),
          client,
          type: fc.constantFrom(...named),
          names: someNames,
        }),
      },
      { weight: 10, arbitrary: fc.record({ kind: fc.constant('accept' as const), client }) },
      { weight: refusals ? 3 : 0, arbitrary: fc.record({ kind: fc.constant('refuse' as const), client }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('stick' as const, 'unstick' as const, 'reconnect' as const),
          client,
        }),
      },
    ),
    { minLength: 5, maxLength: 60, size: 'max' },
  );
}

const dependents: Readonly<Record<string, string>> = {
  [TypeUrl.cluster]: TypeUrl.endpoint,
  [TypeUrl.listener]: TypeUrl.route,
};

/** Follows a client, and knows what may be sent to it though it holds it already. */
class Follower {
  client: XdsClient;
  readonly subscribed = new Map<string, Set<string>>(types.map((type) => [type, new Set<string>()]));
  /**
   * How often `TYPE NAME` may be spoken of though nothing changed: each asking may be answered, something sent may require
   * it, and what is under way may speak of what was unsubscribed.
   */
  readonly credit = new Map<string, number>();
  /** Types of which a complete answer may come again though nothing in it is new. */
  readonly unsure = new Set<string>();
  readonly redundant: string[] = [];
  /** `TYPE NAME` of what Envoy waits for before a changed cluster or listener takes effect. */
  readonly warming = new Set<string>();

  constructor(client: XdsClient) {
    this.client = client;
    for (const type of wildcards) {
      this.unsure.add(type);
      client.subscribe(type);
    }
  }

  subscribe(type: string, wanted: readonly string[]): void {
    const added = wanted.filter((name) => this.subscribed.get(type)?.has(name) === false);
    for (const name of added) {
      this.subscribed.get(type)?.add(name);
      this.#expect(type, name);
    }
    if (added.length > 0) this.client.subscribe(type, added);
  }

  unsubscribe(type: string, unwanted: readonly string[]): void {
    const held = unwanted.filter((name) => this.subscribed.get(type)?.delete(name));
    // What is under way may still speak of it.
    for (const name of held) {
      this.#expect(type, name);
      this.warming.delete(`${type} ${name}`);
    }
    if (held.length > 0) this.client.unsubscribe(type, held);
  }

  /** State of the world can't say that a named resource is gone, so its return comes though the client never dropped it. */
  edited(edits: TestRequest['edits']): void {
    if (this.client.protocol === 'delta') return;
    for (const [type, name, content] of edits) {
      if (isNamedOnly(type) && content === undefined) this.#expect(type, name);
    }
  }

  /** On a new stream all is asked for anew that isn't held. */
  reconnected(next: XdsClient): void {
    this.client = next;
    if (next.protocol === 'delta') this.credit.clear();
    this.warming.clear();
    // State of the world knows no versions by name: what is named comes again.
    if (next.protocol === 'sotw') for (const [type, held] of next.held) this.#expectAgain(type, held.keys());
    for (const [type, subscribed] of this.subscribed) {
      for (const name of subscribed) if (next.held.get(type)?.has(name) !== true) this.#expect(type, name);
    }
  }

  take(verdict: 'ack' | 'nack'): void {
    const response = this.client.take();
    if (response === undefined) return;
    this.#judge(response);
    if (verdict === 'ack') {
      this.#warm(response);
      this.client.ack(response);
    } else {
      this.#expectAgain(response.typeUrl, [...response.resources.keys(), ...response.removed]);
      this.client.nack(response);
    }
  }

  #expectAgain(type: string, names: Iterable<string>): void {
    this.unsure.add(type);
    for (const name of names) this.#expect(type, name);
  }

  #expect(type: string, name: string): void {
    const key = `${type} ${name}`;
    this.credit.set(key, (this.credit.get(key) ?? 0) + 1);
  }

  #warm({ typeUrl, resources, removed }: Received): void {
    for (const name of [...resources.keys(), ...removed]) this.warming.delete(`${typeUrl} ${name}`);
    const held = this.client.held.get(typeUrl);
    for (const [name, content] of resources) {
      const dependent = dependents[typeUrl];
      const waits = dependent !== undefined && held?.get(name) !== content && this.subscribed.get(dependent)?.has(name);
      if (waits) this.warming.add(`${dependent} ${name}`);
    }
  }

  #mayComeAgain(key: string): boolean {
    const credit = this.credit.get(key) ?? 0;
    this.credit.set(key, Math.max(credit - 1, 0));
    return credit > 0;
  }

  #judge(response: Received): void {
    const { typeUrl, resources, removed } = response;
    const held = this.client.held.get(typeUrl) ?? new Map<string, string>();
    const free = this.unsure.delete(typeUrl);
    const whole = this.client.protocol === 'sotw' && !isNamedOnly(typeUrl);
    const isNew = [...resources].filter(([name, content]) => held.get(name) !== content);
    if (!free && whole && isNew.length === 0 && resources.size === held.size) this.redundant.push(`all of ${typeUrl}`);
    for (const [name, content] of resources) {
      const again = this.#mayComeAgain(`${typeUrl} ${name}`);
      if (!again && !whole && held.get(name) === content) this.redundant.push(`${typeUrl} ${name}`);
      if (whole && held.get(name) === content && !free) continue;
      this.#expect(dependents[typeUrl] ?? '', name);
    }
    for (const name of removed) {
      const asked = this.#mayComeAgain(`${typeUrl} ${name}`);
      if (!asked && !held.has(name)) this.redundant.push(`removed ${typeUrl} ${name}`);
    }
  }
}

function run(protocols: readonly Protocol[], actions: readonly Action[], troubles: Troubles): void {
  const harness = new Harness({ [TypeUrl.cluster]: { a: '1' }, [TypeUrl.endpoint]: { a: '1' } });
  const followers = protocols.map((protocol) => new Follower(harness.open(protocol)));
  const follower = (index: number) => followers[index % followers.length] as Follower;
  for (const action of actions) {
    switch (action.kind) {
      case 'edit':
        harness.server.configUpdate({ edits: action.edits });
        for (const each of followers) each.edited(action.edits);
        break;
      case 'wait':
        harness.clock.advance(action.ms);
        break;
      case 'subscribe':
        follower(action.client).subscribe(action.type, action.names);
        break;
      case 'unsubscribe':
        follower(action.client).unsubscribe(action.type, action.names);
        break;
      case 'accept':
        follower(action.client).take('ack');
        break;
      case 'refuse':
        follower(action.client).take('nack');
        break;
      case 'stick':
        follower(action.client).client.stream.stick();
        break;
      case 'unstick':
        follower(action.client).client.stream.unstick();
        break;
      case 'reconnect': {
        const { client: former } = follower(action.client);
        former.stream.hangUp();
        const next = former.reconnect(harness.stream(former.protocol));
        follower(action.client).reconnected(next);
        break;
      }
    }
    harness.clock.settle();
  }
  finish(harness, followers, troubles);
}

function settle(harness: Harness, followers: readonly Follower[]): void {
  for (let round = 0; round < 20; round += 1) {
    harness.clock.advance(100);
    for (const each of followers) {
      each.client.stream.unstick();
      while (each.client.waiting > 0) each.take('ack');
    }
  }
}

function finish(harness: Harness, followers: readonly Follower[], { refusals, timeouts }: Troubles): void {
  settle(harness, followers);
  if (refusals) {
    // What was refused comes again once its answer has changed.
    for (const content of ['next', undefined]) {
      const edits = types.flatMap((type) =>
        names.map((name) => [type, name, name === 'd' ? content : 'last'] as const),
      );
      harness.server.configUpdate({ edits });
      settle(harness, followers);
    }
  }
  // Reconnected clients may wait for the end of the grace period before clusters are removed.
  harness.clock.advance(20_000);
  settle(harness, followers);
  for (const { client: each, subscribed, redundant, warming } of followers) {
    expect(each.stream.status).toBeUndefined();
    if (!timeouts) expect(redundant).toEqual([]);
    for (const type of types) {
      const contents = Object.entries(harness.server.snapshot[type] ?? {});
      const concerned = contents.filter(([name]) => !isNamedOnly(type) || subscribed.get(type)?.has(name)).sort();
      const held = Object.entries(each.contents(type));
      expect(concerned.filter(([name]) => warming.has(`${type} ${name}`))).toEqual([]);
      // State of the world has no way to say that a named resource is gone.
      const gone =
        each.protocol === 'sotw' && isNamedOnly(type)
          ? held.filter(([name]) => !contents.some(([known]) => known === name))
          : [];
      expect({ type, held: held.filter((entry) => !gone.includes(entry)) }).toEqual({ type, held: concerned });
    }
  }
  const pending = harness.server
    .clients()
    .flatMap(({ watched }) => watched.filter(({ nonceSent, nonceAcked, nack }) => nonceSent !== nonceAcked && !nack));
  expect(pending).toEqual([]);
}

describe.each([
  ['delta', ['delta', 'delta']],
  ['sotw', ['sotw', 'sotw']],
  ['mixed', ['delta', 'sotw']],
] as const)('%s clients', (_, protocols) => {
  test.each([
    { refusals: false, timeouts: false },
    { refusals: true, timeouts: false },
    { refusals: true, timeouts: true },
  ])('hold in the end what the server would answer, and nothing comes twice (%o)', (troubles) => {
    fc.assert(
      fc.property(actionsArbitrary(troubles), (actions) => run(protocols, actions, troubles)),
      { numRuns: 150, seed: 7 },
    );
  });
});
