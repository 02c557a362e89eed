import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Memo } from './memo.ts';
import { derivedFact, fact, join, query, type Read } from './query.ts';
import { Snapshot } from './snapshot.ts';
import { index, source } from './source.ts';

interface Proxy {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Rule {
  readonly host: string;
  readonly selector?: string;
  readonly value: number;
}

const rules = source<Rule>('rule');
const rulesByHost = index(rules, 'host', (rule) => [rule.host]);
const settings = source<number>('setting');

const namespace = fact('namespace', (proxy: Proxy) => proxy.namespace);
const hasLabel = fact('hasLabel', (proxy: Proxy, key: string) => key in proxy.labels);

const rulesFor = query('rulesFor', (read, host: string) => read.group(rulesByHost, host).filter((rule) => !rule.selector || read.fact(hasLabel, rule.selector)), sameList); // prettier-ignore
const setting = query(
  'setting',
  (read: Read<Proxy>) => read.get(settings, read.fact(namespace)) ?? read.get(settings, 'default') ?? 0,
);
const total = query('total', (read: Read<Proxy>, host: string) => read(rulesFor, host).reduce((sum, rule) => sum + rule.value, 0) + read(setting)); // prettier-ignore
const parity = query('parity', (read: Read<Proxy>, host: string) => read(total, host) % 2);
const census = query('census', (read: Read<Proxy>) => read.all(rules).length);
const ruleNames = query('ruleNames', (read: Read<Proxy>) => read.keys(rules).join());

const scaled = query(
  'scaled',
  (read: Read<Proxy>, host: string) => 10 * read.by(setting) + read.group(rulesByHost, host).length,
);
const plan = query('plan', (read: Read<Proxy>, host: string) => read(scaled, host));

const level = derivedFact('level', (read: Read<Proxy>) => (read(setting) > 5 ? 'high' : 'low'));
const word = query('word', (read: Read<Proxy>) => read(level));
const greeting = query('greeting', (read: Read<Proxy>, host: string) => read(word) + ' ' + host);

/** Hosts of which there are rules. */
const hosts = query('hosts', (read: Read<Proxy>) => [...new Set(read.all(rules).map((rule) => rule.host))].sort(), sameList); // prettier-ignore
const totals = join('totals', hosts, total, (values) => values.join('+'));
const scaledTotals = join('scaledTotals', hosts, plan, (values) => values.join('+'));

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((x, at) => x === b[at]);
}

const shop: Proxy = { namespace: 'shop', labels: { canary: 'yes' } };
const shopPlain: Proxy = { namespace: 'shop', labels: {} };
const bank: Proxy = { namespace: 'bank', labels: {} };

function memoOf(edit: (e: ReturnType<Snapshot['edit']>) => void): Memo<Proxy> {
  const memo = new Memo<Proxy>();
  apply(memo, edit);
  return memo;
}

function apply(memo: Memo<Proxy>, edit: (e: ReturnType<Snapshot['edit']>) => void): void {
  const changes = memo.snapshot.edit();
  edit(changes);
  memo.advance(changes.commit());
}

describe('sharing between subjects', () => {
  test('subjects share a value until a fact that was read sets them apart', () => {
    const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }));
    expect([shop, shopPlain, bank].map((p) => memo.evaluate(p, rulesFor, 'web').length)).toEqual([1, 1, 1]);
    expect(memo.computeCounts.get('rulesFor')).toBe(1);
    apply(memo, (e) => e.set(rules, 'b', { host: 'web', selector: 'canary', value: 2 }));
    expect([shop, shopPlain, bank].map((p) => memo.evaluate(p, rulesFor, 'web').length)).toEqual([2, 1, 1]);
    expect(memo.computeCounts.get('rulesFor')).toBe(3);
  });

  test('facts read by a query count for those who read the query', () => {
    const memo = memoOf((e) => e.set(settings, 'shop', 5).set(settings, 'default', 1));
    expect([shop, shopPlain, bank].map((p) => memo.evaluate(p, total, 'web'))).toEqual([5, 5, 1]);
    expect(memo.computeCounts.get('total')).toBe(2);
  });
});

test('who reads only the keys of a source is not concerned by a value that becomes another', () => {
  const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }));
  const causes: string[] = [];
  const watch = memo.watch(shop, ruleNames, [], (cause) => causes.push(cause));
  expect(watch.read()).toBe('a');
  apply(memo, (e) => e.set(rules, 'a', { host: 'web', value: 2 }));
  expect(causes).toEqual([]);
  apply(memo, (e) => e.set(rules, 'b', { host: 'web', value: 2 }));
  expect(watch.read()).toBe('a,b');
  apply(memo, (e) => e.set(rules, 'a', undefined));
  expect(watch.read()).toBe('b');
  expect(causes).toEqual(['rule[#]', 'rule[#]']);
});

describe('sharing by choice', () => {
  test('subjects that come to the same choice share what follows from it, whatever facts led there', () => {
    const memo = memoOf((e) => e.set(settings, 'default', 1));
    expect([shop, bank].map((p) => memo.evaluate(p, plan, 'web'))).toEqual([10, 10]);
    expect(memo.computeCounts.get('setting')).toBe(2);
    expect(memo.computeCounts.get('scaled')).toBe(1);
    apply(memo, (e) => e.set(settings, 'bank', 2));
    expect([shop, bank].map((p) => memo.evaluate(p, plan, 'web'))).toEqual([10, 20]);
    expect(memo.computeCounts.get('scaled')).toBe(2);
  });

  test('a watcher hears of a choice that turned out differently', () => {
    const memo = memoOf((e) => e.set(settings, 'default', 1));
    const causes: string[] = [];
    const watch = memo.watch(bank, scaled, ['web'], (cause) => causes.push(cause));
    expect(watch.read()).toBe(10);
    apply(memo, (e) => e.set(settings, 'bank', 2));
    expect(causes).toEqual(['setting[bank]']);
    expect(watch.read()).toBe(20);
  });
});

describe('derived facts', () => {
  test('share by their answer, through any number of readers, and not by the facts behind it', () => {
    const memo = memoOf((e) => e.set(settings, 'shop', 1).set(settings, 'bank', 1));
    expect([shop, bank].map((p) => memo.evaluate(p, greeting, 'web'))).toEqual(['low web', 'low web']);
    expect(memo.computeCounts.get('greeting')).toBe(1);
    apply(memo, (e) => e.set(settings, 'bank', 9));
    expect([shop, bank].map((p) => memo.evaluate(p, greeting, 'web'))).toEqual(['low web', 'high web']);
    expect(memo.computeCounts.get('greeting')).toBe(2);
  });

  test('a watcher hears when its subject comes to another answer', () => {
    const memo = memoOf((e) => e.set(settings, 'shop', 1).set(settings, 'bank', 1));
    const causes: string[] = [];
    const watch = memo.watch(bank, greeting, ['web'], (cause) => causes.push(cause));
    expect(watch.read()).toBe('low web');
    apply(memo, (e) => e.set(settings, 'bank', 2));
    expect(watch.read()).toBe('low web');
    apply(memo, (e) => e.set(settings, 'bank', 9));
    expect(watch.read()).toBe('high web');
    expect(causes).toEqual(['setting[bank]', 'setting[bank]']);
    memo.sweep();
    expect(watch.read()).toBe('high web');
  });
});

describe('joins', () => {
  const many = (count: number) =>
    memoOf((e) => {
      for (let i = 0; i < count; i++) e.set(rules, `r${i}`, { host: `h${i}`, value: 1 });
    });

  test('a change of one item computes that item alone', () => {
    const memo = many(50);
    expect(memo.evaluate(shop, totals)).toBe(Array(50).fill(1).join('+'));
    apply(memo, (e) => e.set(rules, 'r7', { host: 'h7', value: 5 }));
    expect(
      memo
        .evaluate(shop, totals)
        .split('+')
        .filter((n) => n === '5'),
    ).toHaveLength(1);
    expect(memo.computeCounts.get('total')).toBe(51);
    expect(memo.computeCounts.get('totals')).toBe(1);
  });

  test('a new key computes the new item alone', () => {
    const memo = many(50);
    memo.evaluate(shop, totals);
    apply(memo, (e) => e.set(rules, 'new', { host: 'new', value: 9 }));
    expect(memo.evaluate(shop, totals).split('+').at(-1)).toBe('9');
    expect(memo.computeCounts.get('total')).toBe(51);
  });
});

describe('what is the same for all', () => {
  test('is brought up to date at once, so that a change which comes to nothing goes no further', () => {
    const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }).set(rules, 'b', { host: 'api', value: 1 }));
    const causes: string[] = [];
    const watch = memo.watch(shop, totals, [], (cause) => causes.push(cause));
    watch.read();
    apply(memo, (e) => e.set(rules, 'c', { host: 'web', selector: 'blue', value: 1 }));
    expect(memo.computeCounts.get('hosts')).toBe(2);
    const idle = memo.watch(shop, census, [], () => {});
    idle.read();
    apply(memo, (e) => e.set(rules, 'c', { host: 'web', selector: 'green', value: 1 }));
    expect(memo.computeCounts.get('census')).toBe(2);
    expect(watch.read()).toBe('1+1');
  });
});

describe('recomputing', () => {
  test('a change reaches only what read it', () => {
    const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }).set(rules, 'b', { host: 'api', value: 1 }));
    for (const host of ['web', 'api']) memo.evaluate(shop, total, host);
    apply(memo, (e) => e.set(rules, 'a', { host: 'web', value: 7 }));
    expect(memo.evaluate(shop, total, 'web')).toBe(7);
    expect(memo.evaluate(shop, total, 'api')).toBe(1);
    expect(memo.computeCounts.get('total')).toBe(3);
  });

  test('a recomputed value that equals the old one stops the change', () => {
    const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }));
    memo.evaluate(shop, parity, 'web');
    apply(memo, (e) => e.set(rules, 'a', { host: 'web', value: 3 }));
    expect(memo.evaluate(shop, parity, 'web')).toBe(1);
    expect(memo.computeCounts.get('total')).toBe(2);
    expect(memo.computeCounts.get('parity')).toBe(2);
    apply(memo, (e) => e.set(rules, 'b', { host: 'web', value: 0 }));
    memo.evaluate(shop, parity, 'web');
    expect(memo.computeCounts.get('total')).toBe(3);
    expect(memo.computeCounts.get('parity')).toBe(2);
  });

  test('a look-up that found nothing is a read', () => {
    const memo = memoOf(() => {});
    expect(memo.evaluate(shop, total, 'web')).toBe(0);
    apply(memo, (e) => e.set(settings, 'shop', 4));
    expect(memo.evaluate(shop, total, 'web')).toBe(4);
  });

  test('setting an equal value changes nothing', () => {
    const memo = memoOf((e) => e.set(settings, 'shop', 4));
    memo.evaluate(shop, setting);
    const commit = memo.snapshot.edit().set(settings, 'shop', 4).set(settings, 'gone', undefined).commit();
    expect(commit.changed).toEqual([]);
  });

  test('an error is remembered with its reads and goes away with its cause', () => {
    const fragile = query('fragile', (read: Read<Proxy>) => {
      const value = read(setting);
      if (value > 9) throw new Error('too large');
      return value;
    });
    const memo = memoOf((e) => e.set(settings, 'shop', 10));
    expect(() => memo.evaluate(shop, fragile)).toThrow('too large');
    expect(() => memo.evaluate(shop, fragile)).toThrow('too large');
    expect(memo.computeCounts.get('fragile')).toBe(1);
    apply(memo, (e) => e.set(settings, 'shop', 3));
    expect(memo.evaluate(shop, fragile)).toBe(3);
  });

  test('a query that depends on itself is an error that names the cycle', () => {
    const loop = query('loop', (read: Read<Proxy>): number => read(loop));
    expect(() => new Memo<Proxy>().evaluate(shop, loop)).toThrow('loop -> loop');
  });
});

describe('watching', () => {
  test('tells once, then again after a read; identical value where nothing changed', () => {
    const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }));
    const causes: string[] = [];
    const watch = memo.watch(shop, rulesFor, ['web'], (cause) => causes.push(cause));
    const first = watch.read();
    apply(memo, (e) => e.set(rules, 'a', { host: 'web', value: 2 }));
    apply(memo, (e) => e.set(rules, 'a', { host: 'web', value: 3 }));
    expect(causes).toEqual(['rule.host(web)']);
    expect(watch.read()).not.toBe(first);
    apply(memo, (e) => e.set(rules, 'z', { host: 'other', value: 3 }));
    expect(causes).toHaveLength(1);
    watch[Symbol.dispose]();
    apply(memo, (e) => e.set(rules, 'a', { host: 'web', value: 4 }));
    expect(causes).toHaveLength(1);
  });

  test('what nobody watches is forgotten', () => {
    const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }));
    const watch = memo.watch(shop, total, ['web'], () => {});
    watch.read();
    memo.evaluate(shop, census);
    memo.sweep();
    expect(memo.size).toBe(3);
    watch[Symbol.dispose]();
    memo.sweep();
    expect(memo.size).toBe(0);
  });

  test('what a value no longer reads is forgotten, and made again when it is read once more', () => {
    const memo = memoOf((e) => e.set(rules, 'a', { host: 'web', value: 1 }).set(rules, 'b', { host: 'api', value: 2 }));
    const watch = memo.watch(shop, totals, [], () => {});
    expect(watch.read()).toBe('2+1');
    memo.sweep();
    const before = memo.size;
    apply(memo, (e) => e.set(rules, 'b', undefined));
    expect(watch.read()).toBe('1');
    memo.sweep();
    expect(memo.size).toBe(before - 2);
    apply(memo, (e) => e.set(rules, 'b', { host: 'api', value: 3 }));
    expect(watch.read()).toBe('3+1');
    memo.sweep();
    expect(memo.size).toBe(before);
  });
});

/* Random edits and readers: whatever was remembered must equal what a fresh memo computes. */
const edits = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('rule' as const),
      key: fc.constantFrom('a', 'b', 'c'),
      value: fc.option(
        fc.record({
          host: fc.constantFrom('web', 'api'),
          selector: fc.option(fc.constantFrom('canary', 'blue'), { nil: undefined }),
          value: fc.nat(3),
        }),
        { nil: undefined },
      ),
    }),
    fc.record({
      what: fc.constant('setting' as const),
      key: fc.constantFrom('shop', 'bank', 'default'),
      value: fc.option(fc.nat(9), { nil: undefined }),
    }),
  ),
  { minLength: 1, maxLength: 12 },
);

function disagreement(steps: typeof edits extends fc.Arbitrary<infer E> ? E : never, off?: string): boolean {
  const memo = new Memo<Proxy>(Snapshot.empty, { records: (accessor) => accessor !== off });
  for (const step of steps) {
    apply(memo, (e) =>
      step.what === 'rule' ? e.set(rules, step.key, step.value) : e.set(settings, step.key, step.value),
    );
    for (const proxy of [shop, shopPlain, bank]) {
      const fresh = new Memo<Proxy>(memo.snapshot);
      for (const host of ['web', 'api']) {
        if (memo.evaluate(proxy, total, host) !== fresh.evaluate(proxy, total, host)) return true;
        if (memo.evaluate(proxy, greeting, host) !== fresh.evaluate(proxy, greeting, host)) return true;
        if (memo.evaluate(proxy, totals) !== fresh.evaluate(proxy, totals)) return true;
        if (memo.evaluate(proxy, scaledTotals) !== fresh.evaluate(proxy, scaledTotals)) return true;
        if (memo.evaluate(proxy, plan, host) !== fresh.evaluate(proxy, plan, host)) return true;
        if (memo.evaluate(proxy, parity, host) !== fresh.evaluate(proxy, parity, host)) return true;
      }
      if (memo.evaluate(proxy, census) !== fresh.evaluate(proxy, census)) return true;
      if (memo.evaluate(proxy, ruleNames) !== fresh.evaluate(proxy, ruleNames)) return true;
    }
    if (step.key === 'c') memo.sweep();
  }
  return false;
}

describe('invariant: remembered equals computed afresh', () => {
  test('over random edits', () => {
    fc.assert(
      fc.property(edits, (steps) => !disagreement(steps)),
      { numRuns: 500, seed: 7 },
    );
  });

  test('over random edits, by those who read only what they are told of', () => {
    fc.assert(
      fc.property(edits, (steps) => {
        const memo = new Memo<Proxy>();
        const watchers = [shop, shopPlain, bank].flatMap((proxy) =>
          [totals, scaledTotals, census, ruleNames, word].map((watched) => {
            let told = true;
            const watch = memo.watch(proxy, watched, [], () => (told = true));
            let held: unknown;
            return (): boolean => {
              if (told) {
                told = false;
                held = watch.read();
              }
              return held === new Memo<Proxy>(memo.snapshot).evaluate<[], unknown>(proxy, watched);
            };
          }),
        );
        for (const step of steps) {
          apply(memo, (e) =>
            step.what === 'rule' ? e.set(rules, step.key, step.value) : e.set(settings, step.key, step.value),
          );
          expect(watchers.map((isRight) => isRight())).toEqual(watchers.map(() => true));
          if (step.key === 'c') memo.sweep();
        }
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  test.each(['rule', 'rule.host', 'setting', 'namespace', 'hasLabel', 'rulesFor', 'total'])(
    'the test notices when reads of %s are not recorded',
    (accessor) => {
      const result = fc.check(
        fc.property(edits, (steps) => !disagreement(steps, accessor)),
        { numRuns: 500, seed: 7 },
      );
      expect(result.failed).toBe(true);
    },
  );
});
