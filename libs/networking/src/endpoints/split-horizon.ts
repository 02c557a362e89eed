import type { MeshRead } from '@kedge/config';
import type { LbEndpoint } from '@kedge/envoy-api';
import { features, network, nodeType } from '@kedge/pushcontext';
import type { NetworkGateway } from '@kedge/registry';
import { envoyAddress } from '../address.ts';
import { ipFamilies } from '../ip-families.ts';
import { endpointMetadata, isMutualTls } from './lb-endpoint.ts';
import { type LocalityGroup, type PlacedEndpoint, scaleWeight, withEndpoints } from './locality-group.ts';
import { gatewaysBetweenNetworks, gatewaysFor, isReachable } from './network-gateways.ts';

/**
 * Replaces the endpoints of other networks by the gateways that lead there, which take over their weight. Only mutual TLS
 * gets through them, for they tell by its SNI where to go.
 */
export function throughGateways(
  read: MeshRead,
  groups: readonly LocalityGroup[],
  resolvesNames: boolean,
): readonly LocalityGroup[] {
  const gateways = read(gatewaysBetweenNetworks, resolvesNames);
  if (gateways.all.length === 0) return groups;
  const own = read.fact(network);
  const families = read.fact(ipFamilies);
  const isSidecar = read.fact(nodeType) === 'sidecar';
  return groups.map((group) => {
    const direct: PlacedEndpoint[] = [];
    const weights = new Map<NetworkGateway, number>();
    for (const endpoint of group.endpoints) {
      const weight = scaleWeight(endpoint.message.loadBalancingWeight || 1, gateways.scale);
      const ways = gatewaysFor(gateways, endpoint.network, endpoint.cluster).filter(
        ({ port }) => !isSidecar || port > 0,
      );
      // A proxy that doesn't know its own network goes through the gateway of every network that has one.
      const mustPass = own === '' && endpoint.network !== '' && ways.length > 0;
      const isLocal = own === '' || endpoint.network === '' || own === endpoint.network;
      if (!mustPass && (isLocal || ways.length === 0)) {
        if (hasAddress(endpoint.message)) {
          direct.push({ ...endpoint, message: { ...endpoint.message, loadBalancingWeight: weight } });
        }
        continue;
      }
      const reachable = ways.filter((gateway) => isReachable(gateway, families));
      if (reachable.length === 0 || !isMutualTls(endpoint.message)) continue;
      const part = Math.floor(weight / reachable.length);
      for (const gateway of reachable) weights.set(gateway, (weights.get(gateway) ?? 0) + part);
    }
    const indirect = gateways.all
      .filter((gateway) => weights.has(gateway))
      .map((gateway) => gatewayEndpoint(read, gateway, weights.get(gateway) || 1));
    return withEndpoints(group, [...direct, ...indirect]);
  });
}

function hasAddress({ endpoint }: LbEndpoint): boolean {
  return endpoint?.address?.pipe !== undefined || endpoint?.address?.socketAddress?.address !== '';
}

function gatewayEndpoint(read: MeshRead, gateway: NetworkGateway, weight: number): PlacedEndpoint {
  const { cluster, network: behind, address, port } = gateway;
  return {
    labels: { 'topology.istio.io/network': behind, 'topology.istio.io/cluster': cluster },
    network: behind,
    cluster,
    message: {
      endpoint: { address: envoyAddress(address, port) },
      metadata: endpointMetadata(
        { workloadName: '', namespace: '', labels: {}, cluster, mutualTls: true },
        features(read),
      ),
      loadBalancingWeight: weight,
    },
  };
}
