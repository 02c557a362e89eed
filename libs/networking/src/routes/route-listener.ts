import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Hostname, parseProtocol, portNumbered, type Service, type ServicePort } from '@kedge/model';
import {
  aliasTarget,
  alike,
  type EgressListener,
  features,
  isAliasHost,
  MESH_GATEWAY,
  egressListeners,
} from '@kedge/pushcontext';
import { type RouteContext, routeContext } from './route-context.ts';
import { parseRouteName } from './route-name.ts';
import { type SessionPolicy, sessionPolicyOf } from './session-policy.ts';

/** A service with the ports under which a listener's clients may address it. */
export interface ListenerService {
  readonly service: Service;
  readonly ports: readonly ServicePort[];
}

/** The part of a sidecar's egress that one route configuration serves. */
export interface RouteListener {
  readonly egress: EgressListener;
  /** The port that clients address; 0 where they address any. */
  readonly port: number;
  readonly services: ReadonlyMap<Hostname, ListenerService>;
}

/** Route configurations of one port share what they route; see {@link routeListener}. */
export function listenerKey(routeName: string): string | undefined {
  const parsed = parseRouteName(routeName);
  return parsed && (parsed.port > 0 ? String(parsed.port) : routeName);
}

/** The listener by its port, or by the name of its route configuration where it has none; undefined without an egress. */
export const routeListener = query(
  'routeListener',
  (read: MeshRead, key: string): RouteListener | undefined => {
    const stated = parseRouteName(key)?.port ?? 0;
    const egress = read(egressListeners).find(({ spec }) => serves(spec, stated, key));
    if (!egress) return undefined;
    const port = parseProtocol(egress.spec?.port?.protocol ?? '') === 'HTTP_PROXY' ? 0 : stated;
    return { egress, port, services: servicesAt(egress.services, port) };
  },
  (a, b) => a?.egress === b?.egress && a?.port === b?.port,
);

function serves(spec: EgressListener['spec'], port: number, bind: string): boolean {
  if (!spec?.port) return true;
  return (spec.port.number ?? 0) === port && (port > 0 || spec.bind === bind);
}

/** Of several services of a host that have the port the last counts; without a port they serve theirs together. */
function servicesAt(services: readonly Service[], port: number): ReadonlyMap<Hostname, ListenerService> {
  const found = new Map<Hostname, ListenerService>();
  for (const service of services) {
    const own = port === 0 ? undefined : portNumbered(service, port);
    if (port !== 0 && !own) continue;
    const ports = own ? [own] : service.ports;
    const others = port === 0 ? (found.get(service.hostname)?.ports ?? []) : [];
    const taken = new Set(ports.map((one) => one.port));
    found.set(service.hostname, { service, ports: [...others.filter((other) => !taken.has(other.port)), ...ports] });
  }
  return found;
}

/* What routes ask about destinations, each question by itself, so that listeners with the same answers share the routes. */

const destinationAlias = query('destinationAlias', (read: MeshRead, key: string, host: Hostname): Hostname => {
  const found = read(routeListener, key)?.services.get(host);
  return found ? aliasTarget(found.service) : '';
});

/** 0 for hosts with several ports, or none. */
const onlyPort = query('onlyPort', (read: MeshRead, key: string, host: Hostname): number => {
  const ports = read(routeListener, key)?.services.get(host)?.ports ?? [];
  return ports.length === 1 ? (ports[0]?.port ?? 0) : 0;
});

const destinationSession = query(
  'destinationSession',
  (read: MeshRead, key: string, host: Hostname): SessionPolicy | undefined => {
    const found = read(routeListener, key)?.services.get(host);
    return found && sessionPolicyOf(found.service.labels, features(read));
  },
  alike,
);

const MESH = new Set([MESH_GATEWAY]);

/** What the routes of a sidecar's VirtualServices depend on. */
export function sidecarRouteContext(read: MeshRead, key: string, port: number): RouteContext {
  return routeContext(
    read,
    { gateways: MESH, port },
    {
      aliasTarget: (host) => (isAliasHost(read, host) ? read.by(destinationAlias, key, host) : ''),
      defaultPort: (host) => (port > 0 ? port : read.by(onlyPort, key, host)),
      sessionOf: (host) => (features(read).persistentSessions ? read(destinationSession, key, host) : undefined),
    },
  );
}
