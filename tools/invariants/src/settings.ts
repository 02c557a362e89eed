import { secretReviewsSource, SINGLE } from '@kedge/config';
import type { SnapshotEdit } from '@kedge/incremental';
import { standardTranslations } from '@kedge/gateway-api';
import { type Features, parseFeatures, parseMeshConfig, parseMeshNetworks } from '@kedge/model';
import {
  keySetPlace,
  keySetsSource,
  type MeshSettings,
  resolvedHostsSource,
  setMeshSettings,
  trustedRootsSource,
} from '@kedge/pushcontext';
import { type Allocations, allocationsSource, standardRegistries } from '@kedge/registry';
import fc from 'fast-check';
import { HOSTS, ISSUERS, ROOT_NAMESPACE } from './objects/names.ts';

/** The service accounts that may or may not read secrets, with what a review said of them. */
type Reviews = Readonly<Record<string, boolean>>;

/** What is found out elsewhere and comes as an input, by the place or the object that it is about. */
interface Findings {
  readonly keySets: Readonly<Record<string, string>>;
  readonly resolvedHosts: Readonly<Record<string, readonly string[]>>;
  readonly trustedRoots: readonly string[];
  readonly allocations: Readonly<Record<string, Allocations>>;
}

/** All that is input and no object. */
export interface Settings extends MeshSettings {
  readonly reviews: Reviews;
  readonly findings: Findings;
}

export type VariableSettings = Partial<Settings>;

const GATEWAY_HOSTS = ['far.example', 'near.example'];
const ENTRIES = ['shop', 'bank', ROOT_NAMESPACE].flatMap((place) => ['a', 'b'].map((name) => `${place}/${name}`));
const ACCOUNTS = [`${ROOT_NAMESPACE}/gateway`, 'shop/gateway', 'shop/a'];

export function setSettings(edit: SnapshotEdit, settings: VariableSettings): void {
  setMeshSettings(edit, settings);
  const { reviews, findings } = settings;
  if (reviews) for (const account of ACCOUNTS) edit.set(secretReviewsSource, account, reviews[account]);
  if (!findings) return;
  for (const issuer of ISSUERS) edit.set(keySetsSource, keySetPlace({ issuer }), findings.keySets[issuer]);
  for (const name of GATEWAY_HOSTS) edit.set(resolvedHostsSource, name, findings.resolvedHosts[name]);
  for (const entry of ENTRIES) edit.set(allocationsSource, entry, findings.allocations[entry]);
  edit.set(trustedRootsSource, SINGLE, findings.trustedRoots);
}

/** Each a field of MeshConfig; a mesh has some of them. */
const meshFields = [
  'outboundTrafficPolicy: {mode: REGISTRY_ONLY}',
  'enableAutoMtls: false',
  'trustDomain: td2',
  'rootNamespace: shop',
  'defaultServiceExportTo: ["."]',
  'defaultVirtualServiceExportTo: ["."]',
  'defaultDestinationRuleExportTo: ["."]',
  'accessLogFile: /dev/stdout',
  'connectTimeout: 3s',
  'protocolDetectionTimeout: 1s',
  'h2UpgradePolicy: UPGRADE',
  'dnsRefreshRate: 7s',
  'tcpKeepalive: {time: 9s}',
  'localityLbSetting: {enabled: true, failover: [{from: r1, to: r2}]}',
  'defaultTrafficPolicy: {outlierDetection: {consecutive5xxErrors: 4}}',
  'meshMTLS: {minProtocolVersion: TLSV1_3}',
  'pathNormalization: {normalization: MERGE_SLASHES}',
  'defaultHttpRetryPolicy: {attempts: 5}',
  'serviceSettings: [{settings: {clusterLocal: true}, hosts: ["*.shop.svc.cluster.local"]}]',
  'discoverySelectors: [{matchLabels: {team: x}}]',
  'inboundClusterStatName: "%SERVICE%_%SERVICE_PORT%"',
  'outboundClusterStatName: "%SERVICE%_%SERVICE_PORT%"',
  'ingressControllerMode: STRICT',
  'defaultConfig: {concurrency: 3, proxyHeaders: {server: {value: own}}}',
  'defaultConfig: {proxyHeaders: {attemptCount: {disabled: true}, xForwardedHost: {enabled: true}}}',
  'defaultConfig: {proxyHeaders: {metadataExchangeHeaders: {mode: IN_MESH}, envoyDebugHeaders: {disabled: true}}}',
  'defaultConfig: {gatewayTopology: {numTrustedProxies: 2, proxyProtocol: {}}}',
  'serviceEntryVisibility: {applyToSidecars: true, defaultVisibility: NAMESPACE}',
  'serviceEntryVisibility: {applyToSidecars: true, policies: [{matchingRules: [{namespaceSelector: {matchLabels: {team: x}}}], visibility: NONE}]}',
  'defaultProviders: {accessLogging: [als], metrics: [prometheus], tracing: [zipkin]}',
  'defaultHttpRetryPolicy: {attempts: 0}',
  'outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS}',
  'trustDomainAliases: [old-td]',
  'caCertificates: [{pem: root-3}]',
  'inboundTrafficPolicy: {mode: LOCALHOST}',
  'proxyHttpPort: 15002',
  'enableTracing: true',
] as const;

export function parsed<T>({ value, diagnostics }: { readonly value: T; readonly diagnostics: readonly unknown[] }): T {
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return value;
}

/** Takes Ingresses for the gateways that proxies are of. */
export const baseMesh = parseMeshConfig(`
ingressControllerMode: DEFAULT
ingressSelector: gateway
extensionProviders:
- {name: als, envoyOtelAls: {service: a.shop.svc.cluster.local, port: 80}}
- {name: zipkin, zipkin: {service: x.example, port: 80}}
- {name: custom, envoyExtAuthzHttp: {service: shop/a.shop.svc.cluster.local, port: 8080}}
- {name: prometheus, prometheus: {}}
- {name: envoy, envoyFileAccessLog: {path: /dev/stdout}}
`).mesh;

const keyOf = (field: string): string => field.slice(0, field.indexOf(':'));

const mesh = fc.uniqueArray(fc.constantFrom(...meshFields), { maxLength: 4, selector: keyOf }).map((fields) => {
  const { mesh: value, diagnostics } = parseMeshConfig(fields.join('\n'), undefined, baseMesh);
  return parsed({ value, diagnostics });
});

const networkTexts = [
  '',
  'networks: {net-a: {endpoints: [{fromRegistry: Kubernetes}], gateways: [{address: 10.2.0.9, port: 15443}]}}',
  'networks: {net-b: {endpoints: [{fromRegistry: Kubernetes}], gateways: [{address: far.example, port: 15443}]}}',
  'networks: {net-b: {endpoints: [{fromCidr: 172.16.0.0/16}], gateways: [{registryServiceName: a.shop.svc.cluster.local, port: 443}]}}', // prettier-ignore
  'networks: {net-a: {endpoints: [{fromCidr: 10.1.0.2/31}], gateways: [{address: 10.2.0.9, port: 15443}, {address: 10.2.0.8, port: 15443}]}, net-b: {gateways: [{address: 10.3.0.9, port: 15443}]}}', // prettier-ignore
];

const networks = fc.constantFrom(...networkTexts).map((text) => {
  const { networks: value, diagnostics } = parseMeshNetworks(text);
  return parsed({ value, diagnostics });
});

const switches = {
  ENABLE_ENHANCED_DESTINATIONRULE_MERGE: 'false',
  PILOT_SEND_UNHEALTHY_ENDPOINTS: 'true',
  PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES: 'true',
  PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: 'true',
  PILOT_SCOPE_GATEWAY_TO_NAMESPACE: 'true',
  ISTIO_DUAL_STACK: 'true',
  PILOT_ENABLE_ROUTE_COLLAPSE_OPTIMIZATION: 'false',
  PILOT_ENABLE_IP_AUTOALLOCATE: 'false',
  PILOT_ENABLE_PERSISTENT_SESSION_FILTER: 'true',
  PILOT_JWT_ENABLE_REMOTE_JWKS: 'true',
  PILOT_HTTP10: 'true',
  RESOLVE_HOSTNAME_GATEWAYS: 'false',
} as const;

const features = fc
  .subarray(Object.keys(switches) as (keyof typeof switches)[], { maxLength: 2 })
  .map((names): Features => {
    const { features: value, problems } = parseFeatures(
      Object.fromEntries(names.map((name) => [name, switches[name]])),
    );
    return parsed({ value, diagnostics: problems });
  });

const environment = fc
  .record({ domainSuffix: fc.constantFrom('cluster.local', 'cluster.local', 'other.local'), systemNamespace: fc.constantFrom(ROOT_NAMESPACE, 'bank') }); // prettier-ignore

const registries = fc.constantFrom(standardRegistries('Kubernetes'), standardRegistries('other'));

const secretAccess = fc.record({ trustsStatedIdentity: fc.boolean(), allowsUnreviewed: fc.boolean() });

const findings: fc.Arbitrary<Findings> = fc.record({
  keySets: fc.dictionary(
    fc.constantFrom(...ISSUERS),
    fc.constantFrom('{"keys":[]}', '{"keys":[{"kty":"oct","k":"BBBB"}]}'),
  ),
  resolvedHosts: fc.dictionary(
    fc.constantFrom(...GATEWAY_HOSTS),
    fc.constantFrom(['10.4.0.1'], ['10.4.0.1', '10.4.0.2']),
  ),
  trustedRoots: fc.constantFrom([], ['root-1'], ['root-1', 'root-2']),
  allocations: fc.dictionary(
    fc.constantFrom(...ENTRIES),
    fc.dictionary(fc.constantFrom(...HOSTS), fc.constantFrom(['240.240.0.1'], ['240.240.0.2'])),
  ),
});

export const NOTHING_FOUND: Findings = { keySets: {}, resolvedHosts: {}, trustedRoots: [], allocations: {} };

const reviews: fc.Arbitrary<Reviews> = fc.dictionary(fc.constantFrom(...ACCOUNTS), fc.boolean());

const translations = fc.constantFrom(standardTranslations, []);

const changesOf = <K extends keyof Settings>(
  key: K,
  values: fc.Arbitrary<Settings[K]>,
): fc.Arbitrary<VariableSettings> => values.map((value) => ({ [key]: value }));

/** Changes of what has an API of its own, named by it like the kinds of objects. */
export const configuredSettings: Readonly<Record<string, fc.Arbitrary<VariableSettings>>> = {
  MeshConfig: changesOf('mesh', mesh),
  MeshNetworks: changesOf('networks', networks),
};

/**
 * Changes of any setting by the input that it is, also of those which stay the same while a control plane runs: they are
 * inputs all the same.
 */
export const settingsByInput: Readonly<Record<string, fc.Arbitrary<VariableSettings>>> = {
  ...configuredSettings,
  Features: changesOf('features', features),
  Environment: changesOf('environment', environment),
  registries: changesOf('registries', registries),
  SecretAccess: changesOf('secretAccess', secretAccess),
  SecretReviews: changesOf('reviews', reviews),
  Translations: changesOf('translations', translations),
  KeySets: changesOf('findings', findings),
  ResolvedHosts: changesOf('findings', findings),
  TrustedRoots: changesOf('findings', findings),
  allocations: changesOf('findings', findings),
};

export const anySettings: fc.Arbitrary<VariableSettings> = fc.oneof(...Object.values(settingsByInput));

const startSettings = (
  meshConfig: Settings['mesh'],
  meshNetworks: Settings['networks'],
  switched: Features,
): Settings => ({
  mesh: meshConfig,
  networks: meshNetworks,
  features: switched,
  environment: { domainSuffix: 'cluster.local', systemNamespace: ROOT_NAMESPACE },
  registries: standardRegistries(switched.clusterId),
  translations: standardTranslations,
  secretAccess: { trustsStatedIdentity: true, allowsUnreviewed: true },
  reviews: {},
  findings: NOTHING_FOUND,
});

/** What a mesh starts with. */
export const meshSettings: fc.Arbitrary<Settings> = fc
  .tuple(fc.oneof({ weight: 2, arbitrary: fc.constant(baseMesh) }, { weight: 1, arbitrary: mesh }), networks, features)
  .map((chosen) => startSettings(...chosen));

/** With nothing out of the ordinary. */
export const plainSettings = startSettings(baseMesh, parseMeshNetworks('').networks, parseFeatures({}).features);
