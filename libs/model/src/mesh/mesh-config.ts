import { ClientTLSSettings } from '../kinds/client-tls.ts';
import { ConnectionPoolSettings, TcpKeepalive } from '../kinds/connection-pool.ts';
import { HTTPRetry } from '../kinds/http-action.ts';
import { LocalityLoadBalancerSetting, ZoneAwareLoadBalancerSetting } from '../kinds/load-balancer.ts';
import { OutlierDetection } from '../kinds/outlier-detection.ts';
import { type Of, deprecated, enumeration, list, map, message } from '../parse/message.ts';
import { bool, duration, int32, string } from '../parse/scalars.ts';
import { ExtensionProvider } from './extension-provider.ts';
import { ProxyConfig } from './proxy-config.ts';

export const IngressControllerMode = enumeration(['UNSPECIFIED', 'OFF', 'DEFAULT', 'STRICT']);
export type IngressControllerMode = Of<typeof IngressControllerMode>;

export const AccessLogEncoding = enumeration(['TEXT', 'JSON']);
export type AccessLogEncoding = Of<typeof AccessLogEncoding>;

export const MeshOutboundMode = enumeration({ REGISTRY_ONLY: 0, ALLOW_ANY: 1, ALLOW_ANY_DYNAMIC_DNS: 3 });
export type MeshOutboundMode = Of<typeof MeshOutboundMode>;

export const MeshOutboundTrafficPolicy = message({
  mode: MeshOutboundMode,
  tls: ClientTLSSettings,
});
export type MeshOutboundTrafficPolicy = Of<typeof MeshOutboundTrafficPolicy>;

export const MeshInboundMode = enumeration(['PASSTHROUGH', 'LOCALHOST']);
export type MeshInboundMode = Of<typeof MeshInboundMode>;

export const MeshInboundTrafficPolicy = message({
  mode: MeshInboundMode,
});
export type MeshInboundTrafficPolicy = Of<typeof MeshInboundTrafficPolicy>;

export const ConfigSourceResource = enumeration(['SERVICE_REGISTRY']);
export type ConfigSourceResource = Of<typeof ConfigSourceResource>;

export const ConfigSource = message({
  address: string,
  tlsSettings: ClientTLSSettings,
  subscribedResources: list(ConfigSourceResource),
});
export type ConfigSource = Of<typeof ConfigSource>;

export const CertificateData = message(
  {
    pem: string,
    spiffeBundleUrl: string,
    certSigners: list(string),
    trustDomains: list(string),
  },
  ['pem', 'spiffeBundleUrl'],
);
export type CertificateData = Of<typeof CertificateData>;

export const H2UpgradePolicy = enumeration(['DO_NOT_UPGRADE', 'UPGRADE']);
export type H2UpgradePolicy = Of<typeof H2UpgradePolicy>;

export const MeshCertificate = message({
  secretName: string,
  dnsNames: list(string),
});
export type MeshCertificate = Of<typeof MeshCertificate>;

export const ServiceSettingsValues = message({
  clusterLocal: bool,
});
export type ServiceSettingsValues = Of<typeof ServiceSettingsValues>;

export const ServiceSettings = message({
  settings: ServiceSettingsValues,
  hosts: list(string),
});
export type ServiceSettings = Of<typeof ServiceSettings>;

export const LabelSelectorRequirement = message({
  key: string,
  operator: string,
  values: list(string),
});
export type LabelSelectorRequirement = Of<typeof LabelSelectorRequirement>;

/** A Kubernetes label selector. */
export const LabelSelector = message({
  matchLabels: map(string),
  matchExpressions: list(LabelSelectorRequirement),
});
export type LabelSelector = Of<typeof LabelSelector>;

export const ServiceScope = enumeration(['LOCAL', 'GLOBAL']);
export type ServiceScope = Of<typeof ServiceScope>;

export const ServiceScopeConfigs = message({
  namespaceSelector: LabelSelector,
  servicesSelector: LabelSelector,
  scope: ServiceScope,
});
export type ServiceScopeConfigs = Of<typeof ServiceScopeConfigs>;

export const MeshCertificateAuthority = message({
  address: string,
  tlsSettings: ClientTLSSettings,
  requestTimeout: duration,
  istiodSide: bool,
});
export type MeshCertificateAuthority = Of<typeof MeshCertificateAuthority>;

export const DefaultProviders = message({
  tracing: list(string),
  metrics: list(string),
  accessLogging: list(string),
});
export type DefaultProviders = Of<typeof DefaultProviders>;

export const PathNormalizationType = enumeration([
  'DEFAULT',
  'NONE',
  'BASE',
  'MERGE_SLASHES',
  'DECODE_AND_MERGE_SLASHES',
]);
export type PathNormalizationType = Of<typeof PathNormalizationType>;

export const ProxyPathNormalization = message({
  normalization: PathNormalizationType,
});
export type ProxyPathNormalization = Of<typeof ProxyPathNormalization>;

export const MeshTLSProtocol = enumeration(['TLS_AUTO', 'TLSV1_2', 'TLSV1_3']);
export type MeshTLSProtocol = Of<typeof MeshTLSProtocol>;

export const TLSConfig = message({
  minProtocolVersion: MeshTLSProtocol,
  ecdhCurves: list(string),
  cipherSuites: list(string),
});
export type TLSConfig = Of<typeof TLSConfig>;

export const DefaultTrafficPolicy = message({
  connectionPool: ConnectionPoolSettings,
  outlierDetection: OutlierDetection,
});
export type DefaultTrafficPolicy = Of<typeof DefaultTrafficPolicy>;

export const VisibilityScope = enumeration(['VISIBILITY_UNSPECIFIED', 'NONE', 'NAMESPACE', 'PUBLIC']);
export type VisibilityScope = Of<typeof VisibilityScope>;

export const VisibilityMatchRule = message({
  namespaceSelector: LabelSelector,
});
export type VisibilityMatchRule = Of<typeof VisibilityMatchRule>;

export const VisibilityPolicy = message({
  visibility: VisibilityScope,
  matchingRules: list(VisibilityMatchRule),
});
export type VisibilityPolicy = Of<typeof VisibilityPolicy>;

export const ServiceEntryVisibility = message({
  defaultVisibility: VisibilityScope,
  applyToSidecars: bool,
  policies: list(VisibilityPolicy),
});
export type ServiceEntryVisibility = Of<typeof ServiceEntryVisibility>;

/** Settings of the mesh as a whole. */
export const MeshConfig = message({
  proxyListenPort: int32,
  proxyInboundListenPort: int32,
  proxyHttpPort: int32,
  connectTimeout: duration,
  hboneIdleTimeout: duration,
  protocolDetectionTimeout: duration,
  tcpKeepalive: TcpKeepalive,
  ingressClass: string,
  ingressService: string,
  ingressControllerMode: IngressControllerMode,
  ingressSelector: string,
  enableTracing: bool,
  accessLogFile: string,
  accessLogFormat: string,
  accessLogEncoding: AccessLogEncoding,
  enableEnvoyAccessLogService: bool,
  disableEnvoyListenerLog: bool,
  defaultConfig: ProxyConfig,
  outboundTrafficPolicy: MeshOutboundTrafficPolicy,
  inboundTrafficPolicy: MeshInboundTrafficPolicy,
  configSources: list(ConfigSource),
  enableAutoMtls: bool,
  trustDomain: string,
  trustDomainAliases: list(string),
  caCertificates: list(CertificateData),
  defaultServiceExportTo: list(string),
  defaultVirtualServiceExportTo: list(string),
  defaultDestinationRuleExportTo: list(string),
  rootNamespace: string,
  localityLbSetting: LocalityLoadBalancerSetting,
  zoneAwareLbSetting: ZoneAwareLoadBalancerSetting,
  dnsRefreshRate: duration,
  h2UpgradePolicy: H2UpgradePolicy,
  inboundClusterStatName: string,
  outboundClusterStatName: string,
  certificates: deprecated(list(MeshCertificate)),
  serviceSettings: list(ServiceSettings),
  serviceScopeConfigs: list(ServiceScopeConfigs),
  enablePrometheusMerge: bool,
  verifyCertificateAtClient: deprecated(bool),
  ca: MeshCertificateAuthority,
  extensionProviders: list(ExtensionProvider),
  defaultProviders: DefaultProviders,
  discoverySelectors: list(LabelSelector),
  pathNormalization: ProxyPathNormalization,
  defaultHttpRetryPolicy: HTTPRetry,
  defaultInboundHttpRetryPolicy: HTTPRetry,
  meshMTLS: TLSConfig,
  tlsDefaults: TLSConfig,
  defaultTrafficPolicy: DefaultTrafficPolicy,
  serviceEntryVisibility: ServiceEntryVisibility,
});
export type MeshConfig = Of<typeof MeshConfig>;
