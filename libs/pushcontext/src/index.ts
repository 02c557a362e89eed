export { authorizationPolicies, authorizationPolicyKeys } from './authorization-policies.ts';
export { type MergedDestinationRule, destinationRule, inboundDestinationRule } from './destination-rules.ts';
export {
  envoyFilterKeys,
  envoyFilterPatches,
  envoyFilters,
  type PatchContext,
  type PatchScope,
} from './envoy-filters.ts';
export { alike, sameMembers } from './equality.ts';
export { domainSuffix, features, meshConfig, meshNetworks, rootNamespace } from './mesh.ts';
export { keySetPlace, keySetsSource } from './key-sets.ts';
export { trustedRoots, trustedRootsSource } from './trusted-roots.ts';
export { compareAge, compareText } from './precedence.ts';
export * from './proxy-facts.ts';
export { proxyConfig } from './proxy-config.ts';
export { resolvedHostsSource } from './resolved-hosts.ts';
export { PushContext } from './push-context.ts';
export { type GatewayServer, hostOf, type ServerKind, sniHosts } from './gateway-server.ts';
export { autoPassthroughHosts, mergedGateway, selectedGateways, serversOfRoute } from './gateways.ts';
export type { MergedGateway, MergedListener, MergedServer } from './merge-gateways.ts';
export { isOfNamespace } from './namespace-among.ts';
export { sidecarOf } from './sidecar.ts';
export { type EgressListener, egressListeners, outboundTrafficPolicy } from './sidecar-scope.ts';
export { type Destination, virtualServiceDestinations } from './virtual-service-destinations.ts';
export {
  destinationsFor,
  MESH_GATEWAY,
  type ResolvedVirtualService,
  type RouteOrigin,
  type RouteSemantics,
  virtualService,
  type VirtualServiceHead,
  virtualServiceHead,
  virtualServicesFor,
} from './virtual-services.ts';
export { aliasTarget, isAliasHost } from './service-aliases.ts';
export { type Translation, virtualServiceConfig } from './translations.ts';
export { telemetries, telemetryKeys } from './telemetries.ts';
export { visibleServices } from './visible-services.ts';
export {
  mayTakeMtls,
  modeBySelector,
  type MutualTlsMode,
  namespaceMtlsMode,
  portsOfPolicy,
  workloadMtlsMode,
} from './peer-authentication.ts';
export { proxyLabel, proxyMatches, workloadLocality } from './proxy-workload.ts';
export { jwtRules, type PlacedJwtRule, requestAuthenticationKeys } from './request-authentications.ts';
export { type MeshSettings, setMeshSettings } from './mesh-settings.ts';
export { scopeServices, scopeServicesOfHost } from './scope-services.ts';
