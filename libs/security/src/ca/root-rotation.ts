import { messageOf } from '../error-code.ts';
import type { CertificateAuthority } from './certificate-authority.ts';
import type { CaMaterial } from './ca-material.ts';
import { isDueForRenewal, renewedRoot, selfSignedMaterial, type SelfSignedOptions } from './self-signed.ts';

/** What came of a look at the root. */
export type RootCheck =
  { readonly kind: 'unchanged' | 'renewed' | 'reloaded' } | { readonly kind: 'failed'; readonly problem: string };

export interface RootRotationOptions extends SelfSignedOptions {
  readonly authority: CertificateAuthority;
  /** Milliseconds. */
  readonly checkInterval: number;
  /** The part of the root's life, between 0 and 1, in which it is renewed. */
  readonly grace: number;
  /** The first check comes after a random part of the interval, so that replicas don't renew at once. */
  readonly jitter: boolean;
  readonly report: (check: RootCheck) => void;
}

/** Renews the root of a self-signed authority before it expires, and takes over what another process renewed. */
export class RootRotation implements Disposable {
  readonly #options: RootRotationOptions;
  #timer: NodeJS.Timeout;

  constructor(options: RootRotationOptions) {
    this.#options = options;
    const { checkInterval, jitter } = options;
    this.#timer = setTimeout(() => void this.#run(), jitter ? Math.random() * checkInterval : checkInterval);
  }

  /** Looks at the root now. Never rejects. */
  async check(): Promise<RootCheck> {
    try {
      return await this.#check();
    } catch (error) {
      return { kind: 'failed', problem: messageOf(error) };
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#timer = setTimeout(() => void this.#run(), this.#options.checkInterval);
    this.#options.report(await this.check());
  }

  async #check(): Promise<RootCheck> {
    const { authority, store, grace, now = Date.now } = this.#options;
    const files = await store.load();
    if (!files) throw new Error('the stored certificate authority is gone');
    const stored = selfSignedMaterial(files, this.#options);
    if (isDueForRenewal(stored, grace, now())) {
      const renewed = await renewedRoot(stored, this.#options);
      // Read before it is stored: what can't be read again must not replace what can.
      const material = selfSignedMaterial(renewed, this.#options);
      await store.replace(renewed);
      authority.replace(material);
      return { kind: 'renewed' };
    }
    if (isSame(stored, authority.material)) return { kind: 'unchanged' };
    authority.replace(stored);
    return { kind: 'reloaded' };
  }
}

const isSame = (one: CaMaterial, other: CaMaterial): boolean =>
  one.texts.certificate === other.texts.certificate && one.texts.roots === other.texts.roots;
