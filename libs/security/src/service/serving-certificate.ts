import type { TlsCredentials } from '@kedge/grpc-server';
import { messageOf } from '../error-code.ts';
import type { CertificateAuthority, IssuedKey } from '../ca/certificate-authority.ts';

export interface ServingCertificateOptions {
  readonly authority: CertificateAuthority;
  /** DNS names and addresses of the server. */
  readonly names: readonly string[];
  /** Milliseconds. */
  readonly ttl: number;
  readonly now?: () => number;
  /** A renewal failed; it is tried again. */
  readonly report: (problem: string) => void;
}

/** The longest that a timer can wait. */
const maximumDelay = 2 ** 31 - 1;
const retryDelay = 10_000;

/** A server's certificate of our own authority: renewed halfway through its life, and when the authority changes. */
export class ServingCertificate implements Disposable {
  readonly #options: ServingCertificateOptions;
  readonly #listeners = new Set<(credentials: TlsCredentials) => void>();
  readonly #subscription: Disposable;
  #issued: IssuedKey;
  #credentials: TlsCredentials;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  private constructor(options: ServingCertificateOptions, issued: IssuedKey) {
    this.#options = options;
    this.#issued = issued;
    this.#credentials = this.#credentialsOf(issued);
    this.#subscription = options.authority.subscribe(() => void this.renew());
    this.#schedule();
  }

  static async issue(options: ServingCertificateOptions): Promise<ServingCertificate> {
    return new ServingCertificate(options, await options.authority.issueKey(options.names, options.ttl));
  }

  /** What a listener serves with; clients are verified against the authority's roots. */
  get credentials(): TlsCredentials {
    return this.#credentials;
  }

  get notAfter(): Date {
    return this.#issued.notAfter;
  }

  /** Tells each renewal. */
  subscribe(listener: (credentials: TlsCredentials) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Renews now. Never rejects: the certificate that there is stays in use where it fails. */
  async renew(): Promise<void> {
    const { authority, names, ttl, report } = this.#options;
    try {
      this.#issued = await authority.issueKey(names, ttl);
      if (this.#disposed) return;
      this.#credentials = this.#credentialsOf(this.#issued);
      for (const listener of this.#listeners) listener(this.#credentials);
      this.#schedule();
    } catch (error) {
      report(messageOf(error));
      this.#schedule(retryDelay);
    }
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#subscription[Symbol.dispose]();
  }

  #schedule(delay = this.#untilHalfTime()): void {
    clearTimeout(this.#timer);
    if (!this.#disposed) this.#timer = setTimeout(() => void this.renew(), Math.min(delay, maximumDelay));
  }

  #untilHalfTime(): number {
    const now = (this.#options.now ?? Date.now)();
    return Math.max((this.#issued.notAfter.getTime() - now) / 2, 100);
  }

  #credentialsOf({ key, chain }: IssuedKey): TlsCredentials {
    return { key, cert: chain, ca: this.#options.authority.roots };
  }
}
