import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { sameMembers } from '@kedge/pushcontext';
import { patchedListeners } from '../envoy-filter/patched-listeners.ts';
import { accessLogDiagnostics } from '../filters/access-log-providers.ts';
import type { Generated } from '../guard.ts';
import type { EncodedResource } from '../resource.ts';
import { gatewayListener } from './listener.ts';
import { gatewayListenersPlan } from './listener-plan.ts';

/** The listeners of a gateway, patched, those left out included with what is wrong with them. */
const generatedGatewayListeners = query(
  'generatedGatewayListeners',
  (read: MeshRead): readonly Generated[] => {
    const plans = read.by(gatewayListenersPlan).listeners.map((plan) => JSON.stringify(plan));
    const listeners = plans.map((plan) => ({ maker: 'gateway' as const, plan, made: read(gatewayListener, plan) }));
    return patchedListeners(read, 'GATEWAY', listeners);
  },
  sameMembers,
);

export const gatewayListeners = query(
  'gatewayListeners',
  (read: MeshRead): readonly EncodedResource[] => {
    const byName = new Map<string, EncodedResource>();
    for (const { value } of read(generatedGatewayListeners))
      if (value && !byName.has(value.name)) byName.set(value.name, value);
    return [...byName.values()];
  },
  sameMembers,
);

/** What had to be left out of the listeners of a gateway, and why. */
export const gatewayListenerDiagnostics = query(
  'gatewayListenerDiagnostics',
  (read: MeshRead): readonly Diagnostic[] => [
    ...read.by(gatewayListenersPlan).diagnostics,
    ...read(generatedGatewayListeners).flatMap(({ diagnostics }) => diagnostics),
    ...accessLogDiagnostics(read),
  ],
  sameMembers,
);
