import type { FurtherRules } from '@kedge/envoy-api';
import { clusterRules } from './cluster-rules.ts';
import { finding } from './finding.ts';
import { listenerRules } from './listener-rules.ts';
import { routeRules } from './route-rules.ts';
import { textRules } from './text-rules.ts';

/** As many seconds as can be counted in nanoseconds by 64 bits. */
const MAX_SECONDS = 9_223_372_035;

/** What Envoy refuses when it makes something of a message, besides what the validation rules of its API state. */
export const ENVOY_RULES: FurtherRules = {
  'google.protobuf.Duration': (duration) => [
    ...finding(duration.startsWith('-'), '', 'is negative'),
    ...finding(Number.parseInt(duration) > MAX_SECONDS, '', `is longer than ${MAX_SECONDS}s`),
  ],
  ...clusterRules,
  ...listenerRules,
  ...routeRules,
  ...textRules,
};
