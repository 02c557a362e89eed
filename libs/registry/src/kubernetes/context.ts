import type { KubernetesSources } from '@kedge/config';
import type { NetworkOf } from '../network.ts';
import type { MeshQuery } from '../service-registry.ts';
import type { Workload } from '../workload.ts';

/** What the parts of one cluster's registry share. */
export interface ClusterContext {
  readonly cluster: string;
  readonly objects: KubernetesSources;
  readonly networkOf: NetworkOf;
  readonly isDiscoverable: MeshQuery<[namespace: string], boolean>;
  /** The workload of a pod by its key; absent where there is no such pod, or it has failed or has no address. */
  readonly podWorkload: MeshQuery<[key: string], Workload | undefined>;
  /** The workload of a WorkloadEntry by its key. */
  readonly workloadEntry: MeshQuery<[key: string], Workload | undefined>;
}
