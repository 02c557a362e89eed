export { formatIdentity, inTrustDomains, parseIdentity, type SpiffeIdentity, spiffeScheme } from './spiffe/identity.ts';
export { isOwnTrustDomain, isSameWorkload, ownIdentity, type TrustDomains } from './spiffe/trust-domains.ts';
export type { KeyAlgorithm } from './x509/algorithms.ts';
export type { AltName } from './x509/alt-names.ts';
export { type Certificate, parseCertificate, parseCertificates, uriNames } from './x509/certificate.ts';
export { type Csr, type CsrOptions, makeCsr, parseCsr } from './x509/csr.ts';
export type { KeyUsage } from './x509/extensions.ts';
export { type AuthorityOptions, issueAuthority, type Issuer } from './x509/issue.ts';
export { generateKey, type KeyOptions, parsePrivateKey, privateKeyPem, rsaBitsOf } from './x509/keys.ts';
export { isRevoked, parseRevocationLists, type RevocationList } from './x509/revocations.ts';
export { type ExpectedFields, timeUntilRenewal, verifyCertificate } from './x509/verify-certificate.ts';
export { type TrustAnchors, verifyChain } from './x509/verify-chain.ts';
export { CaError, type CaErrorReason } from './ca/ca-error.ts';
export { type CaMaterial, type CaTexts, mergeRoots, readCaMaterial } from './ca/ca-material.ts';
export { type CaFiles, type CaStore, FolderCaStore, MemoryCaStore } from './ca/ca-store.ts';
export {
  CertificateAuthority,
  type CertificateAuthorityOptions,
  defaultLifetimes,
  type IssuedKey,
  type LifetimeLimits,
  type SignOptions,
} from './ca/certificate-authority.ts';
export { caFileNames, tlsFileNames } from './ca/file-names.ts';
export {
  followPluggedIn,
  type PluggedInOptions,
  readPluggedIn,
  type ReadText,
  readTextFile,
  requiredText,
  type Watch,
} from './ca/plugged-in.ts';
export {
  type AuthorityReport,
  openAuthority,
  type OpenAuthorityOptions,
  type OpenedAuthority,
} from './ca/open-authority.ts';
export { type RootCheck, RootRotation, type RootRotationOptions } from './ca/root-rotation.ts';
export { openSelfSigned, type SelfSignedOptions } from './ca/self-signed.ts';
export { watchFolder } from './ca/watch-folder.ts';
export {
  authenticate,
  type Authentication,
  type AuthenticationRequest,
  type Authenticator,
  type Caller,
  type KubernetesCaller,
} from './authn/authenticator.ts';
export { ClientCertificateAuthenticator, type ClientCertificateOptions } from './authn/client-certificate.ts';
export { fetchKeySet, type KeySetPlace } from './authn/fetch-key-set.ts';
export {
  type FetchOptions,
  type FetchText,
  type FetchTextOptions,
  isBlockedAddress,
  textFetcher,
} from './authn/fetch-text.ts';
export { isSameJwks, parseJwks } from './authn/jwks.ts';
export { JwksCache, type JwksCacheOptions } from './authn/jwks-cache.ts';
export { JwtAuthenticator, type JwtOptions } from './authn/jwt.ts';
export { audiencesOf, hasAudience, unverifiedClaims, unverifiedExpiry } from './authn/jwt-claims.ts';
export { type JwtRule, parseJwtRule } from './authn/jwt-rule.ts';
export {
  KubernetesTokenAuthenticator,
  type KubernetesTokenOptions,
  type TokenReviewer,
} from './authn/kubernetes-token.ts';
export { standardAuthenticators, type StandardAuthenticatorsOptions } from './authn/standard-authenticators.ts';
export { type ClusterSecurity, clusterSecurity, type ClusterSecurityOptions } from './kubernetes/cluster-security.ts';
export { type ParsedSettings, parseSecuritySettings, type SecuritySettings } from './settings.ts';
export {
  type CertificateEvent,
  certificateService,
  certificateServiceName,
  type CertificateServiceOptions,
} from './service/certificate-service.ts';
export { certificateMetrics } from './service/metrics.ts';
export {
  NodeAuthorizer,
  type NodeAuthorizerOptions,
  parseNodeAccounts,
  type PodFacts,
  type PodLookup,
  type ServiceAccountName,
} from './service/node-authorizer.ts';
export { ServingCertificate, type ServingCertificateOptions } from './service/serving-certificate.ts';
export { mountedServingPaths, ServingFiles, type ServingPaths } from './service/serving-files.ts';
