import { createPublicKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TlsCredentials } from '@kedge/grpc-server';
import type { CertificateAuthority } from '../ca/certificate-authority.ts';
import { mergeRoots } from '../ca/ca-material.ts';
import { readTextFile, requiredText } from '../ca/plugged-in.ts';
import { watchFolder } from '../ca/watch-folder.ts';
import { messageOf } from '../error-code.ts';
import { parseCertificates } from '../x509/certificate.ts';
import { parsePrivateKey } from '../x509/keys.ts';

/** Where a server's certificate is that others issued, with the roots of its clients. */
export interface ServingPaths {
  readonly certificate: string;
  readonly key: string;
  readonly roots: string;
}

const mounted = { certificate: './var/run/secrets/istiod/tls/tls.crt', key: './var/run/secrets/istiod/tls/tls.key' };
/** Places that are looked at where nobody names one; Istio's. */
const wellKnown: readonly ServingPaths[] = [
  { ...mounted, roots: './var/run/secrets/istiod/ca/root-cert.pem' },
  { ...mounted, roots: './var/run/secrets/istiod/tls/ca.crt' },
];

/** The first place where all files are. */
export function mountedServingPaths(isThere: (path: string) => boolean = existsSync): ServingPaths | undefined {
  return wellKnown.find((paths) => Object.values(paths).every((path) => isThere(path)));
}

export interface ServingFilesOptions {
  readonly paths: ServingPaths;
  /** Its clients are served beside those that the files' roots are for. */
  readonly authority: CertificateAuthority;
  /** A change can't be used; what was there before stays in use. */
  readonly report: (problem: string) => void;
}

/** A server's certificate in files, which are followed. */
export class ServingFiles implements Disposable {
  readonly #options: ServingFilesOptions;
  readonly #listeners = new Set<(credentials: TlsCredentials) => void>();
  readonly #owned = new DisposableStack();
  #files: TlsCredentials;

  private constructor(options: ServingFilesOptions, files: TlsCredentials) {
    this.#options = options;
    this.#files = files;
    const { authority, paths } = options;
    this.#owned.use(authority.subscribe(() => this.#tell()));
    for (const folder of new Set(Object.values(paths).map((path: string) => dirname(path)))) {
      this.#owned.use(watchFolder(folder, () => void this.#reload()));
    }
  }

  /** Rejects where the files aren't there or don't fit together. */
  static async open(options: ServingFilesOptions): Promise<ServingFiles> {
    return new ServingFiles(options, await read(options.paths));
  }

  get credentials(): TlsCredentials {
    return { ...this.#files, ca: mergeRoots(this.#files.ca ?? '', this.#options.authority.roots) };
  }

  /** Tells each change. */
  subscribe(listener: (credentials: TlsCredentials) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#owned.dispose();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.credentials);
  }

  async #reload(): Promise<void> {
    try {
      this.#files = await read(this.#options.paths);
      this.#tell();
    } catch (error) {
      this.#options.report(messageOf(error));
    }
  }
}

async function read({ certificate, key, roots }: ServingPaths): Promise<TlsCredentials> {
  const texts = await Promise.all([certificate, key, roots].map((path) => requiredText(path, readTextFile)));
  const [cert = '', keyText = '', ca = ''] = texts;
  const [leaf] = parseCertificates(cert);
  parseCertificates(ca);
  if (!createPublicKey(parsePrivateKey(keyText)).equals(leaf!.publicKey)) {
    throw new Error(`${key} is not the key of ${certificate}`);
  }
  return { key: keyText, cert, ca };
}
