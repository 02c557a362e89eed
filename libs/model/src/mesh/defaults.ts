import { readSchema } from '../parse/findings.ts';
import type { Schema } from '../parse/message.ts';
import { MeshConfig } from './mesh-config.ts';
import { ProxyConfig } from './proxy-config.ts';

const PROXY_CONFIG = {
  configPath: './etc/istio/proxy',
  binaryPath: '/usr/local/bin/envoy',
  serviceCluster: 'istio-proxy',
  drainDuration: '45s',
  terminationDrainDuration: '5s',
  discoveryAddress: 'istiod.istio-system.svc:15012',
  proxyAdminPort: 15000,
  controlPlaneAuthPolicy: 'MUTUAL_TLS',
  statNameLength: 189,
  statusPort: 15020,
};

const MESH_CONFIG = {
  proxyListenPort: 15001,
  proxyInboundListenPort: 15006,
  connectTimeout: '10s',
  protocolDetectionTimeout: '0s',
  dnsRefreshRate: '60s',
  ingressClass: 'istio',
  ingressService: 'istio-ingressgateway',
  ingressControllerMode: 'STRICT',
  enableTracing: true,
  accessLogEncoding: 'TEXT',
  enableAutoMtls: true,
  enablePrometheusMerge: true,
  trustDomain: 'cluster.local',
  rootNamespace: 'istio-system',
  outboundTrafficPolicy: { mode: 'ALLOW_ANY' },
  inboundTrafficPolicy: { mode: 'PASSTHROUGH' },
  localityLbSetting: { enabled: true },
  defaultServiceExportTo: ['*'],
  defaultVirtualServiceExportTo: ['*'],
  defaultDestinationRuleExportTo: ['*'],
  defaultProviders: {},
  extensionProviders: [
    { name: 'prometheus', prometheus: {} },
    { name: 'stackdriver', stackdriver: {} },
    { name: 'envoy', envoyFileAccessLog: { path: '/dev/stdout' } },
  ],
  defaultConfig: PROXY_CONFIG,
};

type With<T, K extends keyof T> = T & { readonly [N in K]-?: NonNullable<T[N]> };

/** A ProxyConfig laid over the defaults. (The service cluster gives way to a tracing service name.) */
export type EffectiveProxyConfig = With<ProxyConfig, Exclude<keyof typeof PROXY_CONFIG, 'serviceCluster'>>;

/** A MeshConfig laid over the defaults: what these have is always there. */
export type EffectiveMeshConfig = With<MeshConfig, keyof typeof MESH_CONFIG> & {
  readonly defaultConfig: EffectiveProxyConfig;
};

function constant<T>(schema: Schema<T>, value: unknown): T {
  const result = readSchema(schema, value);
  if (result.value === undefined) throw new Error(`invalid constant: ${JSON.stringify(result.findings)}`);
  return result.value;
}

export const defaultProxyConfig = constant(ProxyConfig, PROXY_CONFIG) as EffectiveProxyConfig;
export const defaultMeshConfig = constant(MeshConfig, MESH_CONFIG) as EffectiveMeshConfig;
