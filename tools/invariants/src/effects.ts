import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { stateOf } from './answers.ts';
import { advanced, anyMesh, edited, editKinds, editOfKind, freshContext } from './mesh.ts';
import { someProxies } from './proxies.ts';

/** How many of the edits of a kind changed what some proxy gets. */
export interface Effect {
  readonly kind: string;
  readonly edits: number;
  readonly effective: number;
}

/** Tries edits of each kind on random meshes: tests of what never matters would show nothing. */
export function effects(run: { readonly seed?: number; readonly numRuns: number }): readonly Effect[] {
  return editKinds.map((kind) => {
    const examples = fc.sample(fc.record({ mesh: anyMesh, edit: editOfKind(kind), proxies: someProxies(3) }), run);
    const effective = examples.filter(({ mesh, edit, proxies }) => {
      const push = freshContext(mesh);
      const before = stateOf(push, proxies);
      return !isDeepStrictEqual(before, stateOf(advanced(push, mesh, edited(mesh, edit)), proxies));
    });
    return { kind, edits: examples.length, effective: effective.length };
  });
}

export const effectText = ({ kind, edits, effective }: Effect): string =>
  `${kind.padEnd(20)} ${String(Math.round((100 * effective) / edits)).padStart(3)}% of ${edits} edits change some proxy`;
