import { ReadinessProbe } from './readiness-probe.ts';
import { WorkloadEntry } from './workload-entry.ts';
import { type Of, map, message } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';

export const WorkloadGroupMetadata = message({
  labels: map(string),
  annotations: map(string),
});
export type WorkloadGroupMetadata = Of<typeof WorkloadGroupMetadata>;

export const WorkloadGroup = message({
  metadata: WorkloadGroupMetadata,
  template: WorkloadEntry,
  probe: ReadinessProbe,
});
export type WorkloadGroup = Of<typeof WorkloadGroup>;
