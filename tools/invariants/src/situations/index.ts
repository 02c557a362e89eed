import { entrySituations } from './entries.ts';
import { envoyFilterSituations } from './envoy-filters.ts';
import { gatewaySituations } from './gateways.ts';
import { policySituations } from './policies.ts';
import { proxySituations } from './proxies.ts';
import { serviceSituations } from './services.ts';
import { trafficSituations } from './traffic.ts';
import type { Situation } from './situation.ts';

/** By what is special about them. Each is there for some read that is forgotten unnoticed, or not made, in all others. */
export const situations: Readonly<Record<string, Situation>> = {
  ...entrySituations,
  ...envoyFilterSituations,
  ...gatewaySituations,
  ...policySituations,
  ...proxySituations,
  ...serviceSituations,
  ...trafficSituations,
};
