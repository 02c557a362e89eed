import { secretReviewsSource } from '@kedge/config';
import type { SnapshotEdit } from '@kedge/incremental';
import { standardTranslations } from '@kedge/gateway-api';
import { type Features, parseFeatures, parseMeshConfig, parseMeshNetworks } from '@kedge/model';
import { type MeshSettings, setMeshSettings } from '@kedge/pushcontext';
import { standardRegistries } from '@kedge/registry';
import fc from 'fast-check';
import { ROOT_NAMESPACE } from './objects/names.ts';

/** The service accounts that may or may not read secrets, with what a review said of them. */
type Reviews = Readonly<Record<string, boolean>>;

/** All that is input and no object. */
export interface Settings extends MeshSettings {
  readonly reviews: Reviews;
}

export type VariableSettings = Partial<Settings>;

const ACCOUNTS = [`${ROOT_NAMESPACE}/gateway`, 'shop/gateway', 'shop/a'];

export function setSettings(edit: SnapshotEdit, settings: VariableSettings): void {
  setMeshSettings(edit, settings);
  const { reviews } = settings;
  if (reviews) for (const account of ACCOUNTS) edit.set(secretReviewsSource, account, reviews[account]);
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
] as const;

function parsed<T>({ value, diagnostics }: { readonly value: T; readonly diagnostics: readonly unknown[] }): T {
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return value;
}

/** Takes Ingresses for the gateways that proxies are of. */
const baseMesh = parseMeshConfig('{ingressControllerMode: DEFAULT, ingressSelector: gateway}').mesh;

const mesh = fc.subarray([...meshFields], { maxLength: 4 }).map((fields) => {
  const { mesh: value, diagnostics } = parseMeshConfig(fields.join('\n'), undefined, baseMesh);
  return parsed({ value, diagnostics });
});

const networkTexts = [
  '',
  'networks: {net-a: {endpoints: [{fromRegistry: Kubernetes}], gateways: [{address: 10.2.0.9, port: 15443}]}}',
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

/** Changes of any setting, also of those which stay the same while a control plane runs: they are inputs all the same. */
export const anySettings: fc.Arbitrary<VariableSettings> = fc.oneof(
  ...Object.values(configuredSettings),
  changesOf('features', features),
  changesOf('environment', environment),
  changesOf('registries', registries),
  changesOf('secretAccess', secretAccess),
  changesOf('translations', translations),
  changesOf('reviews', reviews),
);

/** What a mesh starts with. */
export const meshSettings: fc.Arbitrary<Settings> = fc
  .tuple(fc.oneof({ weight: 2, arbitrary: fc.constant(baseMesh) }, { weight: 1, arbitrary: mesh }), networks, features)
  .map(([meshConfig, meshNetworks, switched]) => ({
    mesh: meshConfig,
    networks: meshNetworks,
    features: switched,
    environment: { domainSuffix: 'cluster.local', systemNamespace: ROOT_NAMESPACE },
    registries: standardRegistries(switched.clusterId),
    translations: standardTranslations,
    secretAccess: { trustsStatedIdentity: true, allowsUnreviewed: true },
    reviews: {},
  }));
