import type { X509Certificate } from 'node:crypto';
import { type Certificate, certificateOf, uriNames } from '../x509/certificate.ts';
import { isRevoked, type RevocationList } from '../x509/revocations.ts';
import {
  absent,
  type Authentication,
  type AuthenticationRequest,
  type Authenticator,
  refused,
} from './authenticator.ts';
import { knownByUri, type UriOptions } from './known-by-uri.ts';

export interface ClientCertificateOptions extends UriOptions {
  readonly revocations?: () => readonly RevocationList[];
}

/** Knows callers by the SPIFFE URI of their certificate, whose chain the transport has verified. */
export class ClientCertificateAuthenticator implements Authenticator {
  readonly name = 'ClientCertAuthenticator';
  readonly #options: ClientCertificateOptions;
  /** What was read of the certificates of connections that there are: the same for each of their calls. */
  readonly #read = new WeakMap<X509Certificate, Certificate>();

  constructor(options: ClientCertificateOptions) {
    this.#options = options;
  }

  authenticate({ certificate }: AuthenticationRequest): Promise<Authentication> {
    return Promise.resolve(certificate ? this.#identify(certificate) : absent('no client certificate is presented'));
  }

  #identify(presented: X509Certificate): Authentication {
    let certificate = this.#read.get(presented);
    if (!certificate) {
      try {
        certificate = certificateOf(presented.raw);
      } catch {
        return refused('the client certificate cannot be read');
      }
      this.#read.set(presented, certificate);
    }
    const { revocations = () => [] } = this.#options;
    const now = Date.now();
    if (certificate.notAfter.getTime() < now) return refused('the client certificate has expired');
    if (isRevoked(certificate, revocations())) return refused('the client certificate is revoked');
    return knownByUri(uriNames(certificate), this.#options);
  }
}
