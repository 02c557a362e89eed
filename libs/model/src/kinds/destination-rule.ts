import { type Of, list, map, message, required } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';
import { WorkloadSelector } from './selector.ts';
import { TrafficPolicy } from './traffic-policy.ts';

export const Subset = message({
  name: required(string, ''),
  labels: map(string),
  trafficPolicy: TrafficPolicy,
});
export type Subset = Of<typeof Subset>;

/** How clients treat a host once a route has chosen it: load balancing, connection pools, TLS, and named subsets. */
export const DestinationRule = message({
  host: required(string, ''),
  trafficPolicy: TrafficPolicy,
  subsets: list(Subset),
  exportTo: list(string),
  workloadSelector: WorkloadSelector,
});
export type DestinationRule = Of<typeof DestinationRule>;
