import fc from 'fast-check';
import { namespace, objectName } from './names.ts';

/** An object as YAML or JSON gives it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

interface Options {
  readonly name?: fc.Arbitrary<string>;
  /** Null where the kind has no namespaces. */
  readonly namespace?: fc.Arbitrary<string> | null;
  /** Further fields of the metadata. */
  readonly metadata?: fc.Arbitrary<object>;
  /** Where the body goes; null spreads it over the object itself. */
  readonly field?: 'spec' | null;
}

/** Three moments, so that age decides only sometimes. */
const created = fc.constantFrom(undefined, '2024-05-01T00:00:00Z', '2024-06-01T00:00:00Z');

/** Objects of a kind, with a body from an arbitrary. */
export function manifests(
  apiVersion: string,
  kind: string,
  body: fc.Arbitrary<object>,
  { name = objectName, namespace: place = namespace, metadata = fc.constant({}), field = 'spec' }: Options = {},
): fc.Arbitrary<Manifest> {
  return fc
    .record({ name, place: place ?? fc.constant(undefined), metadata, created, body })
    .map(({ name: given, place: chosen, metadata: more, created: creationTimestamp, body: content }) => ({
      apiVersion,
      kind,
      metadata: {
        name: given,
        ...(chosen && { namespace: chosen }),
        ...(creationTimestamp && { creationTimestamp }),
        ...more,
      },
      ...(field === null ? content : { [field]: content }),
    }));
}
