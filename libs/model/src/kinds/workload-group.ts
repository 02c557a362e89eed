import { type Of, map, message, required } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';
import { ReadinessProbe } from './readiness-probe.ts';
import { WorkloadEntry } from './workload-entry.ts';

export const WorkloadGroupMetadata = message({
  labels: map(string),
  annotations: map(string),
});
export type WorkloadGroupMetadata = Of<typeof WorkloadGroupMetadata>;

/** A template for the WorkloadEntry objects of workloads that register themselves. */
export const WorkloadGroup = message({
  metadata: WorkloadGroupMetadata,
  template: required(WorkloadEntry),
  probe: ReadinessProbe,
});
export type WorkloadGroup = Of<typeof WorkloadGroup>;
