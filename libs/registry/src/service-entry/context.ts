import type { KubernetesSources } from '@kedge/config';
import type { Service } from '@kedge/model';
import type { MeshQuery } from '../service-registry.ts';
import type { Workload } from '../workload.ts';

/** What the parts of the registry of ServiceEntries share. */
export interface EntryContext {
  readonly cluster: string;
  readonly objects: KubernetesSources;
  /** The services of an entry, by its key. */
  readonly entryServices: MeshQuery<[key: string], readonly Service[]>;
  readonly podWorkload: MeshQuery<[key: string], Workload | undefined>;
  readonly workloadEntry: MeshQuery<[key: string], Workload | undefined>;
}
