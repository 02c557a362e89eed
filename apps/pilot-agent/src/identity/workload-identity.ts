import type { Logger } from '@kedge/observability';
import { type RenewalPolicy, renewalDelay, retryDelay } from './renewal.ts';
import type { WorkloadCertificate } from './workload-certificate.ts';

export interface WorkloadIdentityOptions {
  /** Gets a new certificate. */
  readonly request: () => Promise<WorkloadCertificate>;
  readonly renewal: RenewalPolicy;
  readonly log: Logger;
  readonly now?: () => number;
  readonly random?: () => number;
}

/**
 * The certificate of the workload: asked for at once, renewed before its end, and asked for again with growing delays where
 * that fails; the one that there is stays in use meanwhile.
 */
export class WorkloadIdentity implements Disposable {
  readonly #options: WorkloadIdentityOptions;
  readonly #listeners = new Set<(certificate: WorkloadCertificate) => void>();
  #current: WorkloadCertificate | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(options: WorkloadIdentityOptions) {
    this.#options = options;
    void this.#renew();
  }

  /** Undefined until the first one has come, and once it has expired. */
  get current(): WorkloadCertificate | undefined {
    return this.#current && this.#current.expiresAt > this.#now() ? this.#current : undefined;
  }

  /** Tells of each new certificate, and of the one that is there already. */
  subscribe(listener: (certificate: WorkloadCertificate) => void): void {
    this.#listeners.add(listener);
    if (this.#current) listener(this.#current);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  async #renew(): Promise<void> {
    const { request, renewal, log, random } = this.#options;
    let delay: number;
    try {
      const certificate = await request();
      if (this.#disposed) return;
      this.#current = certificate;
      this.#failures = 0;
      delay = renewalDelay(certificate, renewal, this.#now(), random);
      log.info(`certificate until ${new Date(certificate.expiresAt).toISOString()}, renewed in ${seconds(delay)}`);
      for (const listener of this.#listeners) listener(certificate);
    } catch (error) {
      delay = retryDelay(++this.#failures, random);
      const stays = this.current ? `, the one until ${new Date(this.current.expiresAt).toISOString()} stays` : '';
      log.warn(`no new certificate${stays}; the next try is in ${seconds(delay)}`, { error });
    }
    if (!this.#disposed) this.#timer = setTimeout(() => void this.#renew(), delay);
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
