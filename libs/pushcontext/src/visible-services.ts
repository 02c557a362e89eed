import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { isVisibleTo } from '@kedge/model';
import { services } from '@kedge/registry';
import { sameMembers } from './equality.ts';

/** The services that proxies of a namespace may use: those exported to it by name first, then the public ones, by age. */
export const visibleServices = query(
  'visibleServices',
  (read: MeshRead, namespace: string) => {
    const visible = read(services).filter(({ exportTo }) => isVisibleTo(exportTo, namespace));
    return [
      ...visible.filter(({ exportTo }) => exportTo !== '*'),
      ...visible.filter(({ exportTo }) => exportTo === '*'),
    ];
  },
  sameMembers,
);
