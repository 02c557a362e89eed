import type { Proxy } from '@kedge/model';
import fc from 'fast-check';
import { anyMesh, keyText, type Mesh } from '../mesh.ts';
import { someProxies } from '../proxies.ts';
import { Served } from '../wire/served.ts';
import { invariant } from './invariant.ts';
import { emptyChange } from './no-op.ts';
import { boundToOwn } from './out-of-sight.ts';

/** Throws if any client of either protocol gets a message. */
function expectSilence(before: Mesh, after: Mesh, proxies: readonly Proxy[], about: string): void {
  using served = new Served(before);
  const clients = proxies.flatMap((proxy) =>
    (['sotw', 'delta'] as const).map((protocol) => ({ proxy, protocol, client: served.connect(proxy, protocol) })),
  );
  served.settle();
  const messages = clients.map(({ client }) => client.received);
  served.change(after);
  clients.forEach(({ proxy, protocol, client }, at) => {
    const more = client.received - (messages[at] ?? 0);
    if (more > 0) throw new Error(`${more} messages (${protocol}) for ${proxy.nodeId} of ${about}`);
  });
}

export const silentEvents = invariant(
  'an event that means nothing sends no message to anybody',
  40,
  fc.record({ mesh: anyMesh, at: fc.nat({ max: 1000 }), change: emptyChange, proxies: someProxies(2) }),
  ({ mesh, at, change: { apply }, proxies }) => {
    const position = at % Math.max(1, mesh.objects.length);
    const object = mesh.objects[position];
    if (!object) return;
    const objects = mesh.objects.with(position, apply(object));
    expectSilence(mesh, { ...mesh, objects }, proxies, keyText(object));
  },
);

export const silentOutOfScope = invariant(
  'what is out of the scope of a Sidecar sends no message to those that the Sidecar binds',
  40,
  boundToOwn,
  ({ before, after, object, proxies }) => expectSilence(before, after, proxies, keyText(object)),
);
