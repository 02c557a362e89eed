import { type Of, enumeration, map, message, required } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';

/** Workloads by their labels, as policies write it. */
export const WorkloadSelector = message({
  matchLabels: map(string),
});
export type WorkloadSelector = Of<typeof WorkloadSelector>;

/** Workloads by their labels, as traffic objects write it. */
export const WorkloadLabelSelector = message({
  labels: map(string),
});
export type WorkloadLabelSelector = Of<typeof WorkloadLabelSelector>;

/** The Gateway, Service or other object that a policy attaches to. */
export const PolicyTargetReference = message({
  group: string,
  kind: required(string, ''),
  name: required(string, ''),
  namespace: string,
});
export type PolicyTargetReference = Of<typeof PolicyTargetReference>;

export const WorkloadMode = enumeration(['UNDEFINED', 'CLIENT', 'SERVER', 'CLIENT_AND_SERVER']);
export type WorkloadMode = Of<typeof WorkloadMode>;

export const WorkloadPortSelector = message({
  number: required(uint32, 0),
});
export type WorkloadPortSelector = Of<typeof WorkloadPortSelector>;
