import { isIP, isIPv4 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { alike, compareText, features, meshNetworks, resolvedHostsSource } from '@kedge/pushcontext';
import { type NetworkGateway, networkGateways } from '@kedge/registry';
import { type IpFamilies, supportsV4, supportsV6 } from '../ip-families.ts';

/** The gateways between networks, with the factor by which weights are scaled so that they divide among gateways evenly. */
export interface NetworkGateways {
  readonly all: readonly NetworkGateway[];
  readonly scale: number;
}

/** All gateways, from MeshNetworks and from services, as they are named there: by addresses or by hosts. */
const namedGateways = query(
  'namedGateways',
  (read: MeshRead): readonly NetworkGateway[] => {
    const configured = Object.entries(meshNetworks(read)?.networks ?? {}).flatMap(([network, { gateways }]) =>
      gateways.flatMap(({ address, port = 0 }) =>
        address ? [{ network, cluster: '', address, port, hbonePort: 0 }] : [],
      ),
    );
    return distinct([...configured, ...read(networkGateways)]);
  },
  alike,
);

/** The hosts of gateways that have to be resolved by whoever writes {@link resolvedHostsSource}. */
export const hostsOfGateways = query(
  'hostsOfGateways',
  (read: MeshRead): readonly string[] =>
    features(read).resolveHostnameGateways
      ? [...new Set(read(namedGateways).flatMap(({ address }) => (isIP(address) > 0 ? [] : [address])))].sort()
      : [],
  alike,
);

/**
 * The gateways as endpoints can name them: in clusters that resolve names themselves as they are, else each host as one
 * gateway for each of its addresses.
 */
export const gatewaysBetweenNetworks = query(
  'gatewaysBetweenNetworks',
  (read: MeshRead, resolvesNames: boolean): NetworkGateways => {
    const named = read(namedGateways);
    const all = resolvesNames ? named : distinct(named.flatMap((gateway) => resolved(read, gateway)));
    const counts = [
      ...Map.groupBy(all, ({ network }) => network).values(),
      ...Map.groupBy(all, ({ network, cluster }) => `${network}/${cluster}`).values(),
    ].map(({ length }) => length);
    return { all, scale: counts.reduce(leastCommonMultiple, 1) };
  },
  alike,
);

function resolved(read: MeshRead, gateway: NetworkGateway): readonly NetworkGateway[] {
  if (isIP(gateway.address) > 0) return [gateway];
  if (!features(read).resolveHostnameGateways) return [];
  return (read.get(resolvedHostsSource, gateway.address) ?? []).map((address) => ({ ...gateway, address }));
}

/** Each gateway once, in a fixed order. */
function distinct(gateways: readonly NetworkGateway[]): readonly NetworkGateway[] {
  const byText = new Map(gateways.map((gateway) => [textOf(gateway), gateway]));
  return [...byText.values()].sort(
    (a, b) => compareText(a.address, b.address) || a.port - b.port || compareText(textOf(a), textOf(b)),
  );
}

const textOf = ({ network, cluster, address, port, hbonePort }: NetworkGateway): string =>
  [network, cluster, address, port, hbonePort].join('\u0000');

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
