import type { ConfigKind, ConfigOf, kinds } from '@kedge/model';

/** Objects that stand for others are older than any that was written. */
const OLDEST = 0;

interface Derived {
  readonly namespace: string;
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** As in a manifest. */
  readonly spec: object;
}

/** An object that nobody wrote, with the defaults of its kind filled in. */
export function derivedConfig<K extends ConfigKind>(
  kind: (typeof kinds)[K],
  { namespace, name, annotations = {}, spec }: Derived,
): ConfigOf<K> {
  return {
    kind: kind.kind,
    group: kind.group,
    version: kind.versions[0],
    namespace,
    name,
    labels: {},
    annotations,
    creationTimestamp: OLDEST,
    spec: kind.schema.parse(spec),
  } as ConfigOf<K>;
}
