import { setObject } from '@kedge/config';
import type { Config } from '@kedge/model';
import fc from 'fast-check';
import type { Answers, ShortType } from '../answers.ts';
import { Connection } from '../connection.ts';
import { anyMesh, freshContext, keyText } from '../mesh.ts';
import { someProxies } from '../proxies.ts';
import { invariant } from './invariant.ts';

/** What the API server changes of an object without anybody meaning anything by it. */
const bookkeeping: readonly ((object: Config) => Config)[] = [
  (object) => ({ ...object, resourceVersion: '12345' }),
  (object) => ({ ...object, generation: 7, uid: 'other' }),
  (object) => ({ ...object, source: { file: 'moved.yaml', line: 99 } }),
  // Read again: the same content in other objects.
  (object) => structuredClone(object),
];

/** Status that is no input of any kind of Istio's. */
const statusWrite = (object: Config): Config =>
  object.group.endsWith('istio.io') ? { ...object, status: { ...object.status, observedGeneration: 3 } } : object;

/** Inputs in principle, though nothing reads them. */
const meaningless: readonly ((object: Config) => Config)[] = [
  (object) => ({ ...object, annotations: { ...object.annotations, 'example.com/note': 'x' } }),
];

/** A change of an object that nobody means anything by, and whether it counts as one of an input. */
export const emptyChange = fc.oneof(
  fc.constantFrom(...bookkeeping, statusWrite).map((apply) => ({ apply, marks: false })),
  fc.constantFrom(...meaningless).map((apply) => ({ apply, marks: true })),
);

export const noOp = invariant(
  'an event that means nothing pushes nothing: the very same answers stay',
  40,
  fc.record({ mesh: anyMesh, at: fc.nat({ max: 1000 }), change: emptyChange, proxies: someProxies(3) }),
  ({ mesh, at, change: { apply, marks }, proxies }) => {
    const object = mesh.objects[at % mesh.objects.length];
    if (!object) return;
    const push = freshContext(mesh);
    const connections = proxies.map((proxy) => new Connection(proxy, push));
    const before = connections.map(({ answers }) => answers);
    const next = push.next((edit) => setObject(edit, object, apply(object)));
    connections.forEach((connection, index) => {
      const about = `${keyText(object)} for ${connection.proxy.nodeId}`;
      if (!marks && connection.marked.size > 0) throw new Error(`marked ${[...connection.marked].join()}: ${about}`);
      connection.update(next);
      const changed = differing(connection.answers, before[index] as Answers);
      if (changed.length > 0) throw new Error(`made ${changed.join()} anew: ${about}`);
    });
  },
);

const differing = (a: Answers, b: Answers): readonly string[] =>
  Object.keys(a).filter((type) => a[type as ShortType] !== b[type as ShortType]);
