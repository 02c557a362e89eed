import { describe, expect, test } from '@jest/globals';
import { hash } from 'node:crypto';
import type { EncodedResource } from './answer.ts';
import { FramedRuns, runsOf } from './framed-runs.ts';
import { frameDeltaBody, frameSotwBody } from './response-framing.ts';

const resource = (name: string, bytes = 1600): EncodedResource => ({
  name,
  version: hash('sha256', name, 'base64url').slice(0, 22),
  any: Buffer.alloc(bytes, name),
});
const many = Array.from({ length: 1000 }, (_, at) => resource(`outbound|${at}`));
const own = (of: string) => ['a', 'b', 'c'].map((name) => resource(`inbound|${of}|${name}`));

const total = (chunks: Iterable<Uint8Array>): number => [...chunks].reduce((sum, { length }) => sum + length, 0);

describe('runs', () => {
  test('hold all resources in their order, of large ones each by itself', () => {
    const all = [...own('x'), resource('large', 100_000), ...many, resource('larger', 200_000)];
    const runs = [...runsOf(all)];
    expect(runs.flat()).toEqual(all);
    expect(runs.filter((run) => run.some(({ any }) => any.length > 64 * 1024)).map((run) => run.length)).toEqual([
      1, 1,
    ]);
    expect(runs.length).toBeLessThan(30);
  });

  test('end also where versions tell nothing', () => {
    const alike = many.map((one) => ({ ...one, version: '1' }));
    for (const run of runsOf(alike)) expect(total(run.map(({ any }) => any))).toBeLessThan(600_000);
  });
});

describe('bodies that differ in a few resources', () => {
  const bodies = (runs?: FramedRuns) =>
    Array.from({ length: 20 }, (_, at) =>
      frameDeltaBody([...own(String(at)), ...many.slice(0, 500), ...own(`mid${at}`), ...many.slice(500)], [], runs),
    );

  test('share most of their bytes', () => {
    const shared = new Set(bodies(new FramedRuns()).flatMap(({ chunks }) => chunks));
    const apart = bodies().flatMap(({ chunks }) => chunks);
    expect(total(shared)).toBeLessThan(total(apart) / 5);
  });

  test('are what they would be by themselves', () => {
    const runs = new FramedRuns();
    const framed = (of: string, shared?: FramedRuns) =>
      Buffer.concat(frameSotwBody([...own(of), ...many], shared).chunks);
    expect(framed('x', runs).equals(framed('x'))).toBe(true);
    expect(framed('y', runs).equals(framed('y'))).toBe(true);
    expect(framed('x', runs).equals(framed('x'))).toBe(true);
  });
});
