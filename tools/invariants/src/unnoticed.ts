/* Accessors whose forgotten reads no history shows, with the reason. Each must be read at all; whoever finds a history takes it out. */

/** Whoever reads these reads all that they rest on as well, which the test finds from the derivations. */
export const REDUNDANT: Readonly<Record<string, string>> = {
  addedCluster: 'the list of clusters reads the patch itself, to see whether it adds',
  addedListener: 'the list of listeners reads the patch itself, to see whether it adds',
  egressHosts: 'puts its argument into another form',
  mergedDestinationRules: 'the rules that are merged are looked up, as a group, by whoever names them',
  names: 'puts its argument into another form',
  proxyConfigSetting: 'puts its argument into another form',
  serviceEntryNetworkGateways: 'is always empty: entries make no gateways between networks',
};

/** For these no history is known in which nothing else changes along; what does, as far as known. */
export const UNSHOWN: Readonly<Record<string, string>> = {
  'expectedPlaces:type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment':
    'where names stand changes with the joined resources; those that are not there have no place that matters',
  inboundNoLoop: 'has nothing that the other inbound chains have not: they change along',
  isBroken: 'where there are no routes, what is wrong with them is read itself',
};
