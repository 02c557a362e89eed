import { setObject } from '@kedge/config';
import { PushContext } from '@kedge/pushcontext';
import fc from 'fast-check';
import { stateOf } from '../answers.ts';
import { advanced, anyMesh, freshContext, keyText } from '../mesh.ts';
import { anyObject } from '../objects/index.ts';
import { someProxies } from '../proxies.ts';
import { setSettings } from '../settings.ts';
import { expectSame, invariant } from './invariant.ts';

export const anyOrder = invariant(
  'objects that come in any order, together or one by one, give the same bytes',
  40,
  anyMesh.chain((mesh) =>
    fc.record({
      mesh: fc.constant(mesh),
      shuffled: fc.shuffledSubarray([...mesh.objects], { minLength: mesh.objects.length }),
      proxies: someProxies(2),
    }),
  ),
  ({ mesh, shuffled, proxies }) => {
    const expected = stateOf(freshContext(mesh), proxies);
    expectSame(proxies, stateOf(freshContext({ ...mesh, objects: shuffled }), proxies), expected, 'in another order');
    let push = PushContext.empty();
    for (const object of shuffled) push = push.next((edit) => setObject(edit, object, object));
    push = push.next((edit) => setSettings(edit, mesh.settings));
    expectSame(proxies, stateOf(push, proxies), expected, 'one by one');
  },
);

export const twice = invariant(
  'generating twice gives the same bytes, whoever else is served',
  40,
  fc.record({ mesh: anyMesh, proxies: someProxies(4) }),
  ({ mesh, proxies }) => {
    const alone = proxies.flatMap((proxy) => stateOf(freshContext(mesh), [proxy]));
    const reversed = stateOf(freshContext(mesh), proxies.toReversed()).toReversed();
    expectSame(proxies, stateOf(freshContext(mesh), proxies), alone, 'served with others');
    expectSame(proxies, reversed, alone, 'served with others in another order');
  },
);

export const removal = invariant(
  'what was added and removed leaves what never-added gives',
  40,
  fc.record({ mesh: anyMesh, object: anyObject, proxies: someProxies(3) }),
  ({ mesh, object, proxies }) => {
    const before = { ...mesh, objects: mesh.objects.filter((other) => keyText(other) !== keyText(object)) };
    const after = { ...before, objects: [...before.objects, object] };
    let push = freshContext(before);
    const expected = stateOf(push, proxies);
    push = advanced(push, before, after);
    stateOf(push, proxies);
    push = advanced(push, after, before);
    expectSame(proxies, stateOf(push, proxies), expected, `after ${keyText(object)} came and went`);
  },
);
