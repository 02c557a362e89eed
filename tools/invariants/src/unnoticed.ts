/**
 * Accessors whose forgotten reads nobody notices, with the reason: whoever reads these reads all that they rest on as well,
 * which the test finds from the derivations.
 */
export const REDUNDANT: Readonly<Record<string, string>> = {
  addedCluster: 'the list of clusters reads the patch itself, to see whether it adds',
  addedListener: 'the list of listeners reads the patch itself, to see whether it adds',
  egressHosts: 'puts its argument into another form',
  mergedDestinationRules: 'the rules that are merged are looked up, as a group, by whoever names them',
  names: 'puts its argument into another form',
  proxyConfigSetting: 'puts its argument into another form',
  serviceEntryNetworkGateways: 'is always empty: entries make no gateways between networks',
};
