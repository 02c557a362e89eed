import type { ConfigSource, MemorySource } from '@kedge/config';
import type { Features } from '@kedge/model';
import type { Logger } from '@kedge/observability';
import type { DiscoveryMetrics } from '../metrics.ts';
import { type RegistrationEvent, WorkloadRegistration } from './workload-registration.ts';

export interface RegistrationSubject {
  readonly source: ConfigSource;
  readonly entries: MemorySource;
  readonly features: Features;
  readonly metrics: DiscoveryMetrics;
  readonly log: Logger;
}

const counters = {
  registered: 'auto_registration_success_total',
  connected: 'auto_registration_updates_total',
  disconnected: 'auto_registration_unregister_total',
  removed: 'auto_registration_deletes_total',
  failed: 'auto_registration_errors_total',
} as const satisfies Readonly<Record<RegistrationEvent['kind'], keyof DiscoveryMetrics>>;

/** Registers workloads that ask for it, as the switches say. */
export function openRegistration(subject: RegistrationSubject): WorkloadRegistration | undefined {
  const { source, entries, features, metrics, log } = subject;
  if (!features.workloadEntryAutoRegistration) return undefined;
  return new WorkloadRegistration({
    source,
    entries,
    gracePeriod: features.workloadEntryGracePeriod,
    needsIdentity: features.validateWorkloadEntryIdentity,
    takesHealth: features.workloadEntryHealthChecks,
    observe: ({ kind, entry: { namespace, name } }) => {
      metrics[counters[kind]].increment();
      log.info(`WorkloadEntry ${kind}`, { namespace, name });
    },
  });
}
