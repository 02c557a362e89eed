import { byNamespace, type MeshRead, type ObjectOf } from '@kedge/config';
import type { ConfigKind } from '@kedge/model';
import { isDiscoverable } from '@kedge/registry';

/** The objects of a namespace in no particular order; none where `discoverySelectors` keep the namespace unseen. */
export function discovered<K extends ConfigKind>(read: MeshRead, kind: K, namespace: string): readonly ObjectOf<K>[] {
  return read(isDiscoverable, namespace) ? read.group(byNamespace[kind], namespace) : [];
}
