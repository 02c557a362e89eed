import type { X509Certificate } from 'node:crypto';
import { parseIdentity } from '../spiffe/identity.ts';
import { isOwnTrustDomain, type TrustDomains } from '../spiffe/trust-domains.ts';
import { type Certificate, certificateOf, uriNames } from '../x509/certificate.ts';
import { isRevoked, type RevocationList } from '../x509/revocations.ts';
import {
  absent,
  type Authentication,
  type AuthenticationRequest,
  type Authenticator,
  refused,
} from './authenticator.ts';

export interface ClientCertificateOptions {
  readonly trustDomains: () => TrustDomains;
  /** Whether identities of other trust domains are taken too. */
  readonly anyTrustDomain?: boolean;
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
    const { trustDomains, anyTrustDomain = false, revocations = () => [] } = this.#options;
    const now = Date.now();
    if (certificate.notAfter.getTime() < now) return refused('the client certificate has expired');
    if (isRevoked(certificate, revocations())) return refused('the client certificate is revoked');
    const identities = uriNames(certificate);
    const [uri, second] = identities;
    if (uri === undefined) return refused('the client certificate has no SPIFFE identity');
    if (second !== undefined) return refused('the client certificate has more than one URI');
    const identity = parseIdentity(uri);
    if (!identity) return refused('the URI of the client certificate is no SPIFFE identity of a workload');
    if (!anyTrustDomain && !isOwnTrustDomain(trustDomains(), identity.trustDomain)) {
      return refused('the client certificate is of another trust domain');
    }
    return { kind: 'authenticated', caller: { source: 'clientCertificate', identities } };
  }
}
