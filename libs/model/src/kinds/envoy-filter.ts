import { type Of, enumeration, list, map, message } from '../parse/message.ts';
import { int32, string, struct, uint32 } from '../parse/scalars.ts';
import { PolicyTargetReference, WorkloadLabelSelector } from './selector.ts';

export const EnvoyFilterApplyTo = enumeration([
  'INVALID',
  'LISTENER',
  'FILTER_CHAIN',
  'NETWORK_FILTER',
  'HTTP_FILTER',
  'ROUTE_CONFIGURATION',
  'VIRTUAL_HOST',
  'HTTP_ROUTE',
  'CLUSTER',
  'EXTENSION_CONFIG',
  'BOOTSTRAP',
  'LISTENER_FILTER',
]);
export type EnvoyFilterApplyTo = Of<typeof EnvoyFilterApplyTo>;

export const EnvoyFilterPatchContext = enumeration([
  'ANY',
  'SIDECAR_INBOUND',
  'SIDECAR_OUTBOUND',
  'GATEWAY',
  'WAYPOINT',
]);
export type EnvoyFilterPatchContext = Of<typeof EnvoyFilterPatchContext>;

export const EnvoyFilterProxyMatch = message({
  proxyVersion: string,
  metadata: map(string),
});
export type EnvoyFilterProxyMatch = Of<typeof EnvoyFilterProxyMatch>;

export const EnvoyFilterSubFilterMatch = message({
  name: string,
});
export type EnvoyFilterSubFilterMatch = Of<typeof EnvoyFilterSubFilterMatch>;

export const EnvoyFilterFilterMatch = message({
  name: string,
  subFilter: EnvoyFilterSubFilterMatch,
});
export type EnvoyFilterFilterMatch = Of<typeof EnvoyFilterFilterMatch>;

export const EnvoyFilterFilterChainMatch = message({
  name: string,
  sni: string,
  transportProtocol: string,
  applicationProtocols: string,
  filter: EnvoyFilterFilterMatch,
  destinationPort: uint32,
  transportSocket: string,
});
export type EnvoyFilterFilterChainMatch = Of<typeof EnvoyFilterFilterChainMatch>;

export const EnvoyFilterListenerMatch = message({
  portNumber: uint32,
  portName: string,
  filterChain: EnvoyFilterFilterChainMatch,
  listenerFilter: string,
  name: string,
});
export type EnvoyFilterListenerMatch = Of<typeof EnvoyFilterListenerMatch>;

export const EnvoyFilterRouteAction = enumeration(['ANY', 'ROUTE', 'REDIRECT', 'DIRECT_RESPONSE']);
export type EnvoyFilterRouteAction = Of<typeof EnvoyFilterRouteAction>;

export const EnvoyFilterRouteMatch = message({
  name: string,
  action: EnvoyFilterRouteAction,
});
export type EnvoyFilterRouteMatch = Of<typeof EnvoyFilterRouteMatch>;

export const EnvoyFilterVirtualHostMatch = message({
  name: string,
  domainName: string,
  route: EnvoyFilterRouteMatch,
});
export type EnvoyFilterVirtualHostMatch = Of<typeof EnvoyFilterVirtualHostMatch>;

export const EnvoyFilterRouteConfigurationMatch = message({
  portNumber: uint32,
  portName: string,
  gateway: string,
  vhost: EnvoyFilterVirtualHostMatch,
  name: string,
});
export type EnvoyFilterRouteConfigurationMatch = Of<typeof EnvoyFilterRouteConfigurationMatch>;

export const EnvoyFilterClusterMatch = message({
  portNumber: uint32,
  service: string,
  subset: string,
  name: string,
});
export type EnvoyFilterClusterMatch = Of<typeof EnvoyFilterClusterMatch>;

export const EnvoyFilterWaypointRouteMatch = message({
  name: string,
});
export type EnvoyFilterWaypointRouteMatch = Of<typeof EnvoyFilterWaypointRouteMatch>;

export const EnvoyFilterWaypointSubFilterMatch = message({
  name: string,
});
export type EnvoyFilterWaypointSubFilterMatch = Of<typeof EnvoyFilterWaypointSubFilterMatch>;

export const EnvoyFilterWaypointFilterMatch = message({
  name: string,
  subFilter: EnvoyFilterWaypointSubFilterMatch,
});
export type EnvoyFilterWaypointFilterMatch = Of<typeof EnvoyFilterWaypointFilterMatch>;

export const EnvoyFilterWaypointMatch = message({
  portNumber: uint32,
  route: EnvoyFilterWaypointRouteMatch,
  filter: EnvoyFilterWaypointFilterMatch,
});
export type EnvoyFilterWaypointMatch = Of<typeof EnvoyFilterWaypointMatch>;

export const EnvoyFilterMatch = message(
  {
    context: EnvoyFilterPatchContext,
    proxy: EnvoyFilterProxyMatch,
    listener: EnvoyFilterListenerMatch,
    routeConfiguration: EnvoyFilterRouteConfigurationMatch,
    cluster: EnvoyFilterClusterMatch,
    waypoint: EnvoyFilterWaypointMatch,
  },
  ['listener', 'routeConfiguration', 'cluster', 'waypoint'],
);
export type EnvoyFilterMatch = Of<typeof EnvoyFilterMatch>;

export const EnvoyFilterOperation = enumeration([
  'INVALID',
  'MERGE',
  'ADD',
  'REMOVE',
  'INSERT_BEFORE',
  'INSERT_AFTER',
  'INSERT_FIRST',
  'REPLACE',
  'MERGE_AND_REPLACE_LIST',
]);
export type EnvoyFilterOperation = Of<typeof EnvoyFilterOperation>;

export const EnvoyFilterClass = enumeration(['UNSPECIFIED', 'AUTHN', 'AUTHZ', 'STATS']);
export type EnvoyFilterClass = Of<typeof EnvoyFilterClass>;

export const EnvoyFilterPatch = message({
  operation: EnvoyFilterOperation,
  value: struct,
  filterClass: EnvoyFilterClass,
});
export type EnvoyFilterPatch = Of<typeof EnvoyFilterPatch>;

export const EnvoyFilterConfigPatch = message({
  applyTo: EnvoyFilterApplyTo,
  match: EnvoyFilterMatch,
  patch: EnvoyFilterPatch,
});
export type EnvoyFilterConfigPatch = Of<typeof EnvoyFilterConfigPatch>;

/** Patches to the generated Envoy configuration of the selected proxies. */
export const EnvoyFilter = message({
  workloadSelector: WorkloadLabelSelector,
  targetRefs: list(PolicyTargetReference),
  configPatches: list(EnvoyFilterConfigPatch),
  priority: int32,
});
export type EnvoyFilter = Of<typeof EnvoyFilter>;
