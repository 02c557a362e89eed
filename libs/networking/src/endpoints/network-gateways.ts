import { isIP, isIPv4 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { alike, compareText, meshNetworks } from '@kedge/pushcontext';
import { type NetworkGateway, networkGateways } from '@kedge/registry';
import { type IpFamilies, supportsV4, supportsV6 } from '../ip-families.ts';

/** The gateways between networks, with the factor by which weights are scaled so that they divide among gateways evenly. */
export interface NetworkGateways {
  readonly all: readonly NetworkGateway[];
  readonly scale: number;
}

/**
 * All gateways, from MeshNetworks and from services. Only addresses can be told to Envoy as endpoints, save in clusters that
 * resolve names themselves.
 */
export const gatewaysBetweenNetworks = query(
  'gatewaysBetweenNetworks',
  (read: MeshRead, resolvesNames: boolean): NetworkGateways => {
    const configured = Object.entries(meshNetworks(read)?.networks ?? {}).flatMap(([network, { gateways }]) =>
      gateways.flatMap(({ address, port = 0 }) =>
        address ? [{ network, cluster: '', address, port, hbonePort: 0 }] : [],
      ),
    );
    const all = [...configured, ...read(networkGateways)]
      .filter(({ address }) => resolvesNames || isIP(address) > 0)
      .sort((a, b) => compareText(a.address, b.address) || a.port - b.port);
    const counts = [
      ...Map.groupBy(all, ({ network }) => network).values(),
      ...Map.groupBy(all, ({ network, cluster }) => `${network}/${cluster}`).values(),
    ].map(({ length }) => length);
    return { all, scale: counts.reduce(leastCommonMultiple, 1) };
  },
  alike,
);

function leastCommonMultiple(a: number, b: number): number {
  return (a * b) / greatestCommonDivisor(a, b);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** The gateways of a network, those of the endpoint's own cluster if there are any. Proxies need a port for mutual TLS. */
export function gatewaysFor({ all }: NetworkGateways, network: string, cluster: string): readonly NetworkGateway[] {
  const ofNetwork = all.filter((gateway) => gateway.network === network);
  const ofCluster = ofNetwork.filter((gateway) => gateway.cluster === cluster);
  return ofCluster.length > 0 ? ofCluster : ofNetwork;
}

export function isReachable({ address }: NetworkGateway, families: IpFamilies): boolean {
  if (families === 'dual') return true;
  if (isIP(address) === 0) return false;
  return isIPv4(address) || address.toLowerCase().startsWith('::ffff:') ? supportsV4(families) : supportsV6(families);
}
