import type { MeshRead } from '@kedge/config';
import {
  hostCovers,
  type ObjectRef,
  type RouteDestination,
  type Service,
  type ServicePort,
  type VirtualService,
} from '@kedge/model';
import {
  destinationRule,
  hostOf,
  meshConfig,
  type MergedListener,
  type MergedServer,
  scopeServices,
  sniHosts,
  virtualService,
} from '@kedge/pushcontext';
import { sniClusterName } from '../clusters/cluster-name.ts';
import { ruleSettings, type TcpSettings } from '../listeners/rule-settings.ts';
import { outboundStatName } from '../clusters/stat-name.ts';
import type { TcpTarget } from '../listeners/listener-plan.ts';
import { routeTarget } from '../listeners/tcp-target.ts';
import { boundHosts } from './bound-services.ts';

/** The server that a chain belongs to, as far as the chain depends on it. */
export type ChainServer = Pick<
  MergedServer,
  'name' | 'kind' | 'port' | 'portName' | 'protocol' | 'tls' | 'from' | 'field'
>;

/** HTTP, by routes of that name. */
export interface HttpTarget {
  readonly kind: 'http';
  readonly routeName: string;
  readonly http3: boolean;
}

/** Where the connections of a chain go. */
export type ChainTarget = HttpTarget | TcpTarget;

/** One filter chain of a listener. */
export interface FilterChainPlan {
  readonly server: ChainServer;
  /** SNI values that it takes, sorted; empty for all connections that no other chain takes. */
  readonly serverNames: readonly string[];
  /** Whether it takes only mutual TLS of the mesh, which clients announce by ALPN. */
  readonly meshTlsOnly: boolean;
  readonly target: ChainTarget;
  /** The object that made it, and where. */
  readonly from: ObjectRef;
  readonly field: string;
}

/** The chains of a listener for TCP, in the order of its servers. Plain HTTP servers are one chain, for they share routes. */
export function filterChains(read: MeshRead, { servers }: MergedListener): readonly FilterChainPlan[] {
  const firstHttp = servers.find(({ kind }) => kind === 'http');
  return servers.flatMap((server) => (server.kind === 'http' && server !== firstHttp ? [] : chainsOf(read, server)));
}

/** The chains of a listener for HTTP/3. */
export function http3Chains({ servers }: MergedListener): readonly FilterChainPlan[] {
  return servers.filter(({ http3 }) => http3).map((server) => httpChain(server, true));
}

function chainsOf(read: MeshRead, server: MergedServer): readonly FilterChainPlan[] {
  switch (server.kind) {
    case 'http':
    case 'https':
      return [httpChain(server, false)];
    case 'tcp':
    case 'tls':
      return tcpChain(read, server);
    case 'passthrough':
      return passthroughChains(read, server);
    case 'auto-passthrough':
      return serviceChains(read, server);
  }
}

function chain(server: MergedServer, target: ChainTarget): FilterChainPlan {
  const { name, kind, port, portName, protocol, tls, from, field } = server;
  return {
    server: { name, kind, port, portName, protocol, tls, from, field },
    serverNames: serverNames(sniHosts(server)),
    meshTlsOnly: false,
    target,
    from,
    field,
  };
}

/** Each once; a `*` among them takes all. */
function serverNames(hosts: readonly string[]): readonly string[] {
  return hosts.includes('*') ? [] : [...new Set(hosts)].sort();
}

function httpChain(server: MergedServer, http3: boolean): FilterChainPlan {
  return chain(server, { kind: 'http', routeName: server.routeName, http3 });
}

/** The VirtualServices that the server serves, in the order in which they count. */
function boundServices(
  read: MeshRead,
  server: MergedServer,
): readonly { readonly object: ObjectRef; readonly spec: VirtualService }[] {
  return boundHosts(read, server).flatMap(({ head: { namespace, name } }) => {
    const service = read(virtualService, namespace, name);
    return service ? [{ object: { kind: 'VirtualService', namespace, name }, spec: service.spec }] : [];
  });
}

interface L4Match {
  readonly port?: number;
  readonly gateways: readonly string[];
}

function applies({ port, gateways }: L4Match, server: MergedServer): boolean {
  return (!port || port === server.port) && (gateways.length === 0 || gateways.includes(server.gateway));
}

/** A chain for connections that a route of a VirtualService takes. */
function routedChain(
  read: MeshRead,
  server: MergedServer,
  object: ObjectRef,
  routes: readonly RouteDestination[],
  field: string,
): FilterChainPlan {
  const { port: number, portName: name, protocol } = server;
  return { ...chain(server, routeTarget(read, { object }, routes, { number, protocol, name })), from: object, field };
}

/** The first TCP route for the server: opaque bytes leave no choice between several. */
function tcpChain(read: MeshRead, server: MergedServer): readonly FilterChainPlan[] {
  for (const { object, spec } of boundServices(read, server)) {
    for (const [at, { match, route }] of spec.tcp.entries()) {
      if (route.length === 0) continue;
      if (match.length > 0 && !match.some((candidate) => applies(candidate, server))) continue;
      return [routedChain(read, server, object, route, `spec.tcp[${at}]`)];
    }
  }
  return [];
}

/** A chain for each match of a TLS route. */
function passthroughChains(read: MeshRead, server: MergedServer): readonly FilterChainPlan[] {
  const chains: FilterChainPlan[] = [];
  for (const { object, spec } of boundServices(read, server)) {
    for (const [at, { match, route }] of spec.tls.entries()) {
      if (route.length === 0) continue;
      for (const [position, candidate] of match.entries()) {
        if (!applies(candidate, server)) continue;
        const names = serverNames(candidate.sniHosts.map((host) => host.toLowerCase()));
        const field = `spec.tls[${at}].match[${position}]`;
        chains.push({ ...routedChain(read, server, object, route, field), serverNames: names });
      }
    }
  }
  return chains;
}

/** A chain for each port of each service in the mesh, and each of its subsets, as their mutual TLS names them by SNI. */
function serviceChains(read: MeshRead, server: MergedServer): readonly FilterChainPlan[] {
  const allowed = server.hosts.map(hostOf);
  return read(scopeServices)
    .filter(({ hostname, meshExternal }) => !meshExternal && allowed.some((host) => hostCovers(host, hostname)))
    .flatMap((service) => {
      const rule = read(destinationRule, service.hostname, service.namespace);
      const subsets = ['', ...(rule?.subsets ?? []).map(({ name }) => name)];
      return service.ports
        .filter(({ protocol }) => protocol !== 'UDP')
        .flatMap((port) => subsets.map((subset) => serviceChain(read, server, service, port, subset)));
    });
}

/** Connections are passed on as they are, whatever tunnel the rule asks for. */
function withoutTunnel(settings: TcpSettings | undefined): Pick<TcpTarget, 'settings'> {
  const { tunnelingConfig: _, ...rest } = settings ?? {};
  return Object.keys(rest).length > 0 ? { settings: rest } : {};
}

function serviceChain(
  read: MeshRead,
  server: MergedServer,
  service: Service,
  port: ServicePort,
  subset: string,
): FilterChainPlan {
  const { hostname: host, namespace } = service;
  const cluster = sniClusterName(host, port.port, subset);
  const pattern = meshConfig(read).outboundClusterStatName;
  const target: TcpTarget = {
    kind: 'tcp',
    protocol: port.protocol,
    statPrefix: pattern ? outboundStatName(pattern, { service, port, subset }) : cluster,
    targets: [{ cluster, weight: 1 }],
    ...withoutTunnel(ruleSettings(read, { host, namespace, subset })),
  };
  return { ...chain(server, target), serverNames: [cluster], meshTlsOnly: true };
}
