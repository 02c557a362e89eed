import type { MeshRead } from '@kedge/config';
import { canonicalHost, isTls, type ObjectRef, type Service } from '@kedge/model';
import { serviceRef } from '../clusters/outbound-input.ts';
import { isDynamicDns } from '../clusters/dynamic-dns-cluster.ts';
import { type L4Routes, matchApplies } from './l4-routes.ts';
import type { HttpTarget, OutboundChainPlan } from './listener-plan.ts';
import { type ListenPort, routeTarget, serviceTarget } from './tcp-target.ts';

/** A service that wants to be reached through a listener. */
export interface ChainInput {
  readonly service: Service;
  readonly listen: ListenPort;
  /** Further names of the service, in every form in which clients may write them. */
  readonly aliases: readonly string[];
  readonly routes: readonly L4Routes[];
  /** Addresses and ranges by which the service is told from others on the listener. */
  readonly ranges: readonly string[];
  /** Whether the ranges are those of one pod, which needs no further telling apart. */
  readonly isPod: boolean;
  /** Whether only the name in TLS tells the service from others on the listener. */
  readonly bySni: boolean;
}

/** The chains for connections that are not HTTP, or not known to be. */
export function tcpChains(read: MeshRead, input: ChainInput): readonly OutboundChainPlan[] {
  return isTls(input.listen.protocol) ? sniChains(read, input) : addressChains(read, input);
}

function chain(
  target: OutboundChainPlan['target'],
  match: Partial<OutboundChainPlan['match']>,
  service: Service,
  config?: ObjectRef,
): OutboundChainPlan {
  return {
    match: { serverNames: [], ranges: [], http: false, ...match },
    target,
    ...(config ? { config } : {}),
    from: [...(config ? [config] : []), serviceRef(service)],
  };
}

/** Chains for TLS that is passed on as it is: by the name that the client asks for. */
function sniChains(read: MeshRead, input: ChainInput): readonly OutboundChainPlan[] {
  const { service, listen, routes } = input;
  const chains: OutboundChainPlan[] = [];
  // Of matches that no connection can tell apart, the first that is for this proxy counts.
  const seen = new Set<string>();
  let ranges = input.ranges;
  for (const entry of routes) {
    for (const { match, route } of entry.tls) {
      for (const one of match.filter((candidate) => matchApplies(read, candidate, listen.number))) {
        // Ranges that a match names hold for those after it that name none. A socket file has no address to match.
        if (one.destinationSubnets.length > 0 && listen.number > 0) ranges = one.destinationSubnets;
        const key = JSON.stringify([one.sniHosts, one.destinationSubnets]);
        if (seen.has(key)) continue;
        seen.add(key);
        const target = routeTarget(read, entry, route, listen);
        chains.push(chain(target, { serverNames: one.sniHosts.map(canonicalHost), ranges }, service, entry.object));
      }
    }
  }
  if (chains.length > 0) return chains;
  const bySni = !input.isPod && (input.bySni || input.ranges.length > 0 || isDynamicDns(service));
  const serverNames = bySni ? [service.hostname, ...input.aliases] : [];
  return [chain(serviceTarget(read, service, listen), { serverNames, ranges: input.ranges }, service)];
}

/** Chains for bytes of any kind: only addresses tell connections apart. */
function addressChains(read: MeshRead, input: ChainInput): readonly OutboundChainPlan[] {
  const { service, listen, routes, ranges } = input;
  const chains: OutboundChainPlan[] = [];
  let isCovered = false;
  for (const entry of routes) {
    for (const { match, route } of entry.tcp) {
      const applying = match.filter((candidate) => matchApplies(read, candidate, listen.number));
      const target = routeTarget(read, entry, route, listen);
      const takesRest = ({ destinationSubnets }: (typeof match)[number]): boolean =>
        destinationSubnets.length === 0 || listen.number === 0;
      if (match.length === 0 || applying.some(takesRest)) {
        chains.push(chain(target, { ranges }, service, entry.object));
        return chains;
      }
      const subnets = applying.flatMap(({ destinationSubnets }) => destinationSubnets);
      if (subnets.length === 0) continue;
      chains.push(chain(target, { ranges: subnets }, service));
      isCovered ||= sameRanges(subnets, ranges);
    }
  }
  if (!isCovered) chains.push(chain(serviceTarget(read, service, listen), { ranges }, service));
  return chains;
}

const sameRanges = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.toSorted().join() === b.toSorted().join();

/** The chain for HTTP. On a port that other protocols may use too it takes only what was found to be HTTP. */
export function httpChain(
  { service, listen }: Pick<ChainInput, 'service' | 'listen'>,
  routeName: string,
  detected: boolean,
): OutboundChainPlan {
  const target: HttpTarget = {
    kind: 'http',
    routeName,
    grpcWeb: listen.protocol === 'GRPC-Web',
    isHttpProxy: false,
    ...(isDynamicDns(service) ? { dynamicHost: service.hostname } : {}),
  };
  // Services share the chain, so none of them stands behind it.
  return { match: { serverNames: [], ranges: [], http: detected }, target, from: [] };
}
