import fc from 'fast-check';
import { Connection } from '../connection.ts';
import { advanced, anyMesh, edited, freshContext, keyText } from '../mesh.ts';
import { anyObject } from '../objects/index.ts';
import { someProxies } from '../proxies.ts';
import { invariant } from './invariant.ts';

export const memory = invariant(
  'the number of values held is the same after each cycle of adding, serving, removing and sweeping',
  40,
  fc.record({ mesh: anyMesh, objects: fc.array(anyObject, { minLength: 1, maxLength: 4 }), proxies: someProxies(2) }),
  ({ mesh, objects, proxies }) => {
    const keys = new Set(objects.map(keyText));
    const before = { ...mesh, objects: mesh.objects.filter((object) => !keys.has(keyText(object))) };
    const after = objects.map((put) => ({ put })).reduce(edited, before);
    let push = freshContext(before);
    const stays = proxies.map((proxy) => new Connection(proxy, push));
    push.memo.sweep();
    const size = push.memo.size;
    for (let cycle = 1; cycle <= 3; cycle++) {
      push = advanced(push, before, after);
      const guests = proxies.map(({ ...proxy }) => new Connection(proxy, push));
      for (const connection of stays) connection.update(push);
      push = advanced(push, after, before);
      for (const connection of [...stays, ...guests]) connection.update(push);
      for (const guest of guests) guest[Symbol.dispose]();
      push.memo.sweep();
      if (push.memo.size !== size) throw new Error(`${size} values at first, ${push.memo.size} after cycle ${cycle}`);
    }
  },
);
