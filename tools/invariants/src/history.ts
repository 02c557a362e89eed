import type { Proxy } from '@kedge/model';
import fc from 'fast-check';
import { anyEdit, anyMesh, type Edit, edited, type Mesh } from './mesh.ts';
import { someProxies } from './proxies.ts';

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

const histories = (edits: number, steps: fc.ArrayConstraints): fc.Arbitrary<History> =>
  fc.record({
    start: anyMesh,
    steps: fc.array(fc.record({ edits: fc.array(anyEdit, { minLength: 1, maxLength: edits }), sweep }), {
      ...steps,
      size: 'max',
    }),
    proxies: someProxies(3),
  });

export const anyHistory = histories(3, { minLength: 1, maxLength: 6 });

/** One thing at a time, so that nothing else leads to what it changes. */
export const anySlowHistory = histories(1, { minLength: 8, maxLength: 8 });

/** The mesh after each step. */
export function meshesOf({ start, steps }: History): readonly Mesh[] {
  let mesh = start;
  return steps.map(({ edits }) => (mesh = edits.reduce(edited, mesh)));
}
