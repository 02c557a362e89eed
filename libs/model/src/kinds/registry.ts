import type { Of, Schema } from '../parse/message.ts';
import { AuthorizationPolicy } from './authorization-policy.ts';
import { DestinationRule } from './destination-rule.ts';
import { EnvoyFilter } from './envoy-filter.ts';
import { Gateway } from './gateway.ts';
import { PeerAuthentication } from './peer-authentication.ts';
import { ProxyConfigResource } from './proxy-config-resource.ts';
import { RequestAuthentication } from './request-authentication.ts';
import { ServiceEntry } from './service-entry.ts';
import { Sidecar } from './sidecar.ts';
import { Telemetry } from './telemetry.ts';
import { TrafficExtension } from './traffic-extension.ts';
import { VirtualService } from './virtual-service.ts';
import { WasmPlugin } from './wasm-plugin.ts';
import { WorkloadEntry } from './workload-entry.ts';
import { WorkloadGroup } from './workload-group.ts';

/** What is known of a kind of configuration object. */
export interface KindInfo<S = unknown, K extends string = string> {
  readonly kind: K;
  readonly group: string;
  /** Served versions, the stored one first. The spec is the same in all. */
  readonly versions: readonly [string, ...string[]];
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly schema: Schema<S>;
}

const NETWORKING = 'networking.istio.io';
const SECURITY = 'security.istio.io';
const EXTENSIONS = 'extensions.istio.io';
const TELEMETRY = 'telemetry.istio.io';

function define<K extends string, S>(
  kind: K,
  plural: string,
  schema: Schema<S>,
  group: string,
  versions: KindInfo['versions'],
  shortNames: readonly string[] = [],
): KindInfo<S, K> {
  return { kind, group, versions, plural, namespaced: true, shortNames, schema };
}

const TRAFFIC_VERSIONS = ['v1', 'v1alpha3', 'v1beta1'] as const;
const SECURITY_VERSIONS = ['v1', 'v1beta1'] as const;

const table = [
  define('AuthorizationPolicy', 'authorizationpolicies', AuthorizationPolicy, SECURITY, SECURITY_VERSIONS, ['ap']),
  define('DestinationRule', 'destinationrules', DestinationRule, NETWORKING, TRAFFIC_VERSIONS, ['dr']),
  define('EnvoyFilter', 'envoyfilters', EnvoyFilter, NETWORKING, ['v1alpha3']),
  define('Gateway', 'gateways', Gateway, NETWORKING, TRAFFIC_VERSIONS, ['gw']),
  define('PeerAuthentication', 'peerauthentications', PeerAuthentication, SECURITY, SECURITY_VERSIONS, ['pa']),
  define('ProxyConfig', 'proxyconfigs', ProxyConfigResource, NETWORKING, ['v1beta1']),
  define('RequestAuthentication', 'requestauthentications', RequestAuthentication, SECURITY, SECURITY_VERSIONS, ['ra']),
  define('ServiceEntry', 'serviceentries', ServiceEntry, NETWORKING, TRAFFIC_VERSIONS, ['se']),
  define('Sidecar', 'sidecars', Sidecar, NETWORKING, TRAFFIC_VERSIONS),
  define('Telemetry', 'telemetries', Telemetry, TELEMETRY, ['v1alpha1', 'v1'], ['telemetry']),
  define('TrafficExtension', 'trafficextensions', TrafficExtension, EXTENSIONS, ['v1alpha1']),
  define('VirtualService', 'virtualservices', VirtualService, NETWORKING, TRAFFIC_VERSIONS, ['vs']),
  define('WasmPlugin', 'wasmplugins', WasmPlugin, EXTENSIONS, ['v1alpha1']),
  define('WorkloadEntry', 'workloadentries', WorkloadEntry, NETWORKING, TRAFFIC_VERSIONS, ['we']),
  define('WorkloadGroup', 'workloadgroups', WorkloadGroup, NETWORKING, TRAFFIC_VERSIONS, ['wg']),
] as const;

type Row = (typeof table)[number];

/** The spec type of each kind, by kind name. */
export type KindMap = { readonly [R in Row as R['kind']]: Of<R['schema']> };

/** The kinds of Istio's API. */
export type ConfigKind = keyof KindMap;

/** Every kind of Istio's API, by name. */
export const kinds = Object.fromEntries(table.map((row) => [row.kind, row])) as {
  readonly [K in ConfigKind]: KindInfo<KindMap[K], K>;
};

const byApiVersionAndKind = new Map<string, Row>(
  table.flatMap((row) => row.versions.map((version) => [`${row.group}/${version} ${row.kind}`, row] as const)),
);

/** The kind of an object by its `apiVersion` (`networking.istio.io/v1`) and `kind`. */
export function lookupKind(apiVersion: string, kind: string): KindInfo<unknown, ConfigKind> | undefined {
  return byApiVersionAndKind.get(`${apiVersion} ${kind}`);
}
