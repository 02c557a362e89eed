import { type EnvoyAdmin, usedStats } from '../envoy/admin.ts';

const updateStats = '^(cluster_manager\\.cds|listener_manager\\.lds)\\.(update_success|update_rejected)$';
const stateStats = '^(server\\.state|listener_manager\\.workers_started)$';
const serverStates = ['LIVE', 'DRAINING', 'PRE_INITIALIZING', 'INITIALIZING'];

/**
 * Whether Envoy can take traffic: it has got clusters and listeners from the control plane, is live, and its workers run.
 * What was true once stays true for the life of the process, so it is asked for only until then.
 */
export class Readiness {
  readonly #admin: EnvoyAdmin;
  #configured = false;
  #live = false;

  constructor(admin: EnvoyAdmin) {
    this.#admin = admin;
  }

  /** Forgets what was seen, for a new Envoy process. */
  reset(): void {
    this.#configured = false;
    this.#live = false;
  }

  /** Why Envoy is not ready, or undefined if it is. */
  async notReadyReason(): Promise<string | undefined> {
    try {
      return (await this.#missingConfig()) ?? (await this.#notLive());
    } catch (error) {
      return `Envoy's statistics are not available: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  async #missingConfig(): Promise<string | undefined> {
    if (this.#configured) return undefined;
    const stats = await usedStats(this.#admin, updateStats);
    const count = (name: string) => stats.get(name) ?? 0;
    const cds = {
      success: count('cluster_manager.cds.update_success'),
      rejected: count('cluster_manager.cds.update_rejected'),
    };
    const lds = {
      success: count('listener_manager.lds.update_success'),
      rejected: count('listener_manager.lds.update_rejected'),
    };
    this.#configured = cds.success > 0 && lds.success > 0;
    if (this.#configured) return undefined;
    const counts =
      `cds updates: ${cds.success} successful, ${cds.rejected} rejected; ` +
      `lds updates: ${lds.success} successful, ${lds.rejected} rejected`;
    if (cds.success === 0 && lds.success === 0 && cds.rejected + lds.rejected === 0) {
      return `no configuration from the xDS server (is istiod running?): ${counts}`;
    }
    return cds.rejected + lds.rejected > 0
      ? `configuration from the xDS server was rejected: ${counts}`
      : `configuration from the xDS server is not complete: ${counts}`;
  }

  async #notLive(): Promise<string | undefined> {
    if (this.#live) return undefined;
    const stats = await usedStats(this.#admin, stateStats);
    const state = stats.get('server.state');
    if (state === undefined) return 'the state of the server is not known yet';
    if (state !== 0) return `the server is not live but ${serverStates[state] ?? state}`;
    if (stats.get('listener_manager.workers_started') !== 1) return 'workers have not started yet';
    this.#live = true;
    return undefined;
  }
}
