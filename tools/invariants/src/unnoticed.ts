/* Accessors whose forgotten reads no history shows, with the reason. Each must be read at all; whoever finds a history takes it out. */

/** Whoever reads these reads all that they rest on as well, which the test finds from the derivations. */
export const REDUNDANT: Readonly<Record<string, string>> = {
  addedCluster: 'the list of clusters reads the patch itself, to see whether it adds',
  addedListener: 'the list of listeners reads the patch itself, to see whether it adds',
  egressHosts: 'puts its argument into another form',
  names: 'puts its argument into another form',
  patchedListener: 'who patches reads the listener and the patches, to see what hits',
  proxyConfigSetting: 'puts its argument into another form',
  serviceEntryNetworkGateways: 'is always empty: entries make no gateways between networks',
};

/** For these no history is known in which nothing else changes along; what does, as far as known. */
export const UNSHOWN: Readonly<Record<string, string>> = {
  destinationRulesOfHost: 'the group of the rules of a host changes with each of them',
  'expectedPlaces:type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment':
    'where names stand changes with the joined resources; those that are not there have no place that matters',
  gatewayPortsOfRoute: 'what else the routes follow from changed along wherever their ports did',
  inboundNoLoop: 'has nothing that the other inbound chains have not: they change along',
  isBroken: 'where there are no routes, what is wrong with them is read itself',
  mergedDestinationRules: 'the group of the rules of a host changes with each of them',
  opaqueListeners: 'the plans of listeners change along',
  openEgress: 'gateways take the VirtualServices on their Gateways',
  serviceAliases: 'aliases are services: those in the scope change along',
  sniClusterNames: 'subsets and ports change the other outbound clusters too',
  virtualHostCandidates: 'the hosts of the listener change along',
};
