import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { isVisibleTo, type Service } from '@kedge/model';
import { services } from '@kedge/registry';
import { sameMembers } from './equality.ts';

/** Services that are exported by name before the public ones; otherwise in the order that they had. */
export function publicLast(services: readonly Service[]): readonly Service[] {
  return [
    ...services.filter(({ exportTo }) => exportTo !== '*'),
    ...services.filter(({ exportTo }) => exportTo === '*'),
  ];
}

/** The services that proxies of a namespace may use: those exported to it by name first, then the public ones, by age. */
export const visibleServices = query(
  'visibleServices',
  (read: MeshRead, namespace: string) =>
    publicLast(read(services).filter(({ exportTo }) => isVisibleTo(exportTo, namespace))),
  sameMembers,
);
