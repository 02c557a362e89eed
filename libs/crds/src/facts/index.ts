import type { Shape } from '@kedge/model';
import { extensions } from './extensions.ts';
import type { MessageFacts } from './facts.ts';
import { gateways } from './gateways.ts';
import { routes } from './routes.ts';
import { security } from './security.ts';
import { selectors } from './selectors.ts';
import { telemetry } from './telemetry.ts';
import { trafficPolicies } from './traffic-policy.ts';
import { workloads } from './workloads.ts';

/** What is said of the fields of each message, by the shape of the message. */
export const messageFacts: ReadonlyMap<Shape, MessageFacts> = new Map([
  ...selectors,
  ...trafficPolicies,
  ...routes,
  ...gateways,
  ...workloads,
  ...security,
  ...telemetry,
  ...extensions,
]);
