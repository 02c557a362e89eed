import type { SecuritySettings } from '../settings.ts';
import type { TrustDomains } from '../spiffe/trust-domains.ts';
import type { RevocationList } from '../x509/revocations.ts';
import type { Authenticator } from './authenticator.ts';
import { ClientCertificateAuthenticator } from './client-certificate.ts';
import { textFetcher } from './fetch-text.ts';
import { ForwardedCertificateAuthenticator } from './forwarded-certificate.ts';
import { JwtAuthenticator } from './jwt.ts';
import { KubernetesTokenAuthenticator, type KubernetesTokenOptions } from './kubernetes-token.ts';

export interface StandardAuthenticatorsOptions {
  readonly settings: SecuritySettings;
  readonly trustDomains: () => TrustDomains;
  readonly revocations?: () => readonly RevocationList[];
  /** Absent where there is no Kubernetes to ask. */
  readonly reviewerOf?: KubernetesTokenOptions['reviewerOf'];
}

/** The ways in which callers are known, in the order in which they are tried. */
export function standardAuthenticators(options: StandardAuthenticatorsOptions): readonly Authenticator[] {
  const { settings, trustDomains, revocations, reviewerOf } = options;
  const { jwtRule, tokenAudiences, anyTrustDomain, blockedCidrs, insecureJwks, trustedGateways } = settings;
  return [
    new ClientCertificateAuthenticator({ trustDomains, anyTrustDomain, ...(revocations ? { revocations } : {}) }),
    ...(jwtRule
      ? [
          new JwtAuthenticator({
            rule: jwtRule,
            trustDomains,
            fetchText: textFetcher({ blocked: blockedCidrs, insecure: insecureJwks }),
          }),
        ]
      : []),
    ...(reviewerOf ? [new KubernetesTokenAuthenticator({ trustDomains, audiences: tokenAudiences, reviewerOf })] : []),
    ...(trustedGateways.length > 0
      ? [new ForwardedCertificateAuthenticator({ trustDomains, anyTrustDomain, trustedGateways })]
      : []),
  ];
}
