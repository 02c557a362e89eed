import { type Features, parseFeatures, parseMeshConfig, parseMeshNetworks } from '@kedge/model';
import type { MeshSettings } from '@kedge/pushcontext';
import { standardRegistries } from '@kedge/registry';
import fc from 'fast-check';
import { ROOT_NAMESPACE } from './objects/names.ts';

/** The parts of the settings that may change while the control plane runs. */
export type VariableSettings = Partial<Pick<MeshSettings, 'mesh' | 'networks'>>;

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
] as const;

function parsed<T>({ value, diagnostics }: { readonly value: T; readonly diagnostics: readonly unknown[] }): T {
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return value;
}

const mesh = fc.subarray([...meshFields], { maxLength: 4 }).map((fields) => {
  const { mesh: value, diagnostics } = parseMeshConfig(fields.join('\n'));
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

/** A change of settings, named by what changes like the kind of an object. */
export const settingsChange: Readonly<Record<string, fc.Arbitrary<VariableSettings>>> = {
  MeshConfig: mesh.map((value) => ({ mesh: value })),
  MeshNetworks: networks.map((value) => ({ networks: value })),
};

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

/** What a mesh starts with. */
export const meshSettings: fc.Arbitrary<MeshSettings> = fc
  .tuple(
    fc.oneof({ weight: 2, arbitrary: fc.constant(parseMeshConfig('').mesh) }, { weight: 1, arbitrary: mesh }),
    networks,
    features,
  )
  .map(([meshConfig, meshNetworks, switched]) => ({
    mesh: meshConfig,
    networks: meshNetworks,
    features: switched,
    environment: { domainSuffix: 'cluster.local', systemNamespace: ROOT_NAMESPACE },
    registries: standardRegistries(switched.clusterId),
  }));
