import type { Proxy } from '@kedge/model';
import fc from 'fast-check';
import { anyEdit, anyMesh, type Edit, edited, editOfInput, inputs, type Mesh } from './mesh.ts';
import { proxyFamily, someProxies } from './proxies.ts';

/** What happens between two pushes. */
export interface Step {
  readonly edits: readonly Edit[];
  /** Whether values that nobody needs are let go afterwards. */
  readonly sweep: boolean;
}

/** A mesh, what happens to it, and the proxies that live through it: the last one connects after the first step only. */
export interface History {
  readonly start: Mesh;
  readonly steps: readonly Step[];
  readonly proxies: readonly Proxy[];
}

const sweep = fc.nat({ max: 9 }).map((n) => n === 0);

export const anyHistory: fc.Arbitrary<History> = fc.record({
  start: anyMesh,
  steps: fc.array(fc.record({ edits: fc.array(anyEdit, { minLength: 1, maxLength: 3 }), sweep }), {
    minLength: 1,
    maxLength: 6,
    size: 'max',
  }),
  proxies: someProxies(3),
});

/** One thing at a time, so that nothing else leads to what it changes: one of the inputs that are given. */
export const slowSteps = (changed: readonly string[]): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc
      .constantFrom(...changed)
      .chain(editOfInput)
      .map((edit) => ({ edits: [edit], sweep: false })),
    { minLength: 8, maxLength: 8, size: 'max' },
  );

export const anySlowHistory: fc.Arbitrary<History> = fc.record({
  start: anyMesh,
  steps: slowSteps(inputs),
  proxies: someProxies(4),
});

/** Proxies that are told apart by little, in a mesh where little happens. */
export const familyHistory: fc.Arbitrary<History> = fc.record({
  start: anyMesh,
  steps: slowSteps(inputs).map((steps) => steps.slice(0, 1)),
  proxies: proxyFamily,
});

/** The mesh after each step. */
export function meshesOf({ start, steps }: History): readonly Mesh[] {
  let mesh = start;
  return steps.map(({ edits }) => (mesh = edits.reduce(edited, mesh)));
}
