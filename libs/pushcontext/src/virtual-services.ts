import { index, join, query } from '@kedge/incremental';
import {
  canonicalHost,
  type ConfigOf,
  type Hostname,
  type HTTPRoute,
  isVisibleTo,
  type ObjectRef,
  parseVisibility,
  resolveShortHost,
  type VirtualService,
  type Visibility,
} from '@kedge/model';
import { istioSources, type MeshRead, objectKey } from '@kedge/config';
import { domainSuffix, meshConfig } from './mesh.ts';
import { mergeDelegate } from './delegates.ts';
import { alike, sameMembers } from './equality.ts';
import { compareAge } from './precedence.ts';
import { translatedServicesOn, virtualServiceConfig } from './translations.ts';
import { type Destination, virtualServiceDestinations } from './virtual-service-destinations.ts';

/** The gateway name that stands for all sidecars. */
export const MESH_GATEWAY = 'mesh';

/** Whether a VirtualService was written as one, or stands for an Ingress or a route of the Gateway API. */
export type RouteSemantics = 'istio' | 'ingress' | 'gateway';

/** What decides where a VirtualService applies. Its routes may change without a change of this. */
export interface VirtualServiceHead {
  readonly namespace: string;
  readonly name: string;
  readonly creationTimestamp: number;
  /** In full. */
  readonly hosts: readonly Hostname[];
  /** `mesh` or `namespace/name`. */
  readonly gateways: readonly string[];
  readonly visibility: Visibility;
  readonly semantics: RouteSemantics;
}

/** Where a route was written: as `spec.http[2]` of an object. */
export interface RouteOrigin {
  readonly object: ObjectRef;
  readonly field: string;
}

/** A VirtualService with every host written in full, its gateways by namespace, and its delegates' routes put in. */
export interface ResolvedVirtualService {
  readonly namespace: string;
  readonly name: string;
  readonly semantics: RouteSemantics;
  readonly spec: VirtualService;
  /** Where each route of `spec.http` was written. */
  readonly httpOrigins: readonly RouteOrigin[];
  /** Itself, then the delegates whose routes it holds. */
  readonly from: readonly ObjectRef[];
}

function gatewayNames(config: ConfigOf<'VirtualService'>): readonly string[] {
  if (config.spec.gateways.length === 0) return [MESH_GATEWAY];
  return config.spec.gateways.map((name) => qualifyGateway(name, config.namespace));
}

function qualifyGateway(name: string, namespace: string): string {
  if (name === MESH_GATEWAY || name.includes('/')) return name;
  // `name.namespace` and FQDN forms date from before gateways were named by namespace.
  const [first = '', second] = name.split('.');
  return second ? `${second}/${first}` : `${namespace}/${name}`;
}

const byGateway = index(istioSources.VirtualService, 'gateway', (config) =>
  config.spec.hosts.length === 0 ? [] : gatewayNames(config),
);

/** A VirtualService by name, ready for use; undefined where there is none. */
export const virtualService = query(
  'virtualService',
  (read: MeshRead, namespace: string, name: string): ResolvedVirtualService | undefined => {
    const config = virtualServiceConfig(read, objectKey(namespace, name));
    if (!config) return undefined;
    const self: ObjectRef = { kind: config.kind, namespace, name };
    const spec = resolveHosts(config.spec, namespace, domainSuffix(read));
    const from = [self];
    const http: HTTPRoute[] = [];
    const httpOrigins: RouteOrigin[] = [];
    const add = (object: ObjectRef, index: number, route: HTTPRoute): void => {
      http.push(route);
      httpOrigins.push({ object, field: `spec.http[${index}]` });
    };
    for (const [at, route] of spec.http.entries()) {
      if (!route.delegate) {
        add(self, at, route);
        continue;
      }
      const target = { namespace: route.delegate.namespace || namespace, name: route.delegate.name ?? '' };
      const delegate = { kind: config.kind, ...target };
      const routes = delegateRoutes(read, target, namespace);
      if (routes) from.push(delegate);
      for (const [index, delegated] of (routes ?? []).entries()) {
        const merged = mergeDelegate(route, delegated);
        if (merged) add(delegate, index, merged);
      }
    }
    return { namespace, name, semantics: semanticsOf(config), spec: { ...spec, http }, httpOrigins, from };
  },
  alike,
);

/** The routes of a delegate, in full; undefined where there is none, or none for this namespace. */
function delegateRoutes(
  read: MeshRead,
  { namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>,
  rootNamespace: string,
): readonly HTTPRoute[] | undefined {
  const delegate = virtualServiceConfig(read, objectKey(namespace, name));
  if (!delegate || delegate.spec.hosts.length > 0) return undefined;
  if (!isVisibleTo(routeVisibility(read, delegate), rootNamespace)) return undefined;
  return delegate.spec.http.map((route) => resolveRoute(route, namespace, domainSuffix(read)));
}

/** Where a VirtualService applies, by its key; undefined where there is none. */
export const virtualServiceHead = query(
  'virtualServiceHead',
  (read: MeshRead, key: string): VirtualServiceHead | undefined => {
    const config = virtualServiceConfig(read, key);
    if (!config) return undefined;
    const { namespace, name } = config;
    return {
      namespace,
      name,
      creationTimestamp: config.creationTimestamp,
      hosts: config.spec.hosts.map((host) => resolveShortHost(canonicalHost(host), namespace, domainSuffix(read))),
      gateways: gatewayNames(config),
      visibility: routeVisibility(read, config),
      semantics: semanticsOf(config),
    };
  },
  alike,
);

const SEMANTICS_ANNOTATION = 'internal.istio.io/route-semantics';

function semanticsOf({ annotations }: ConfigOf<'VirtualService'>): RouteSemantics {
  const stated = annotations[SEMANTICS_ANNOTATION];
  return stated === 'ingress' || stated === 'gateway' ? stated : 'istio';
}

function routeVisibility(read: MeshRead, { spec, namespace }: ConfigOf<'VirtualService'>): Visibility {
  const fallback = parseVisibility(meshConfig(read).defaultVirtualServiceExportTo, namespace, '*');
  return parseVisibility(spec.exportTo, namespace, fallback);
}

function resolveHosts(spec: VirtualService, namespace: string, suffix: string): VirtualService {
  const destination = <R extends { readonly destination?: { readonly host: string } }>(route: R): R =>
    route.destination
      ? {
          ...route,
          destination: { ...route.destination, host: resolveShortHost(route.destination.host, namespace, suffix) },
        }
      : route;
  const gatewaysOf = <M extends { readonly gateways: readonly string[] }>(match: M): M =>
    match.gateways.length > 0
      ? { ...match, gateways: match.gateways.map((name) => qualifyGateway(name, namespace)) }
      : match;
  return {
    ...spec,
    hosts: spec.hosts.map((host) => resolveShortHost(canonicalHost(host), namespace, suffix)),
    http: spec.http.map((route) => resolveRoute(route, namespace, suffix)),
    tls: spec.tls.map((r) => ({ ...r, match: r.match.map(gatewaysOf), route: r.route.map(destination) })),
    tcp: spec.tcp.map((r) => ({ ...r, match: r.match.map(gatewaysOf), route: r.route.map(destination) })),
  };
}

function resolveRoute(route: HTTPRoute, namespace: string, suffix: string): HTTPRoute {
  const resolve = (host: string): string => resolveShortHost(host, namespace, suffix);
  return {
    ...route,
    match: route.match.map((match) =>
      match.gateways.length > 0
        ? { ...match, gateways: match.gateways.map((name) => qualifyGateway(name, namespace)) }
        : match,
    ),
    route: route.route.map((r) =>
      r.destination ? { ...r, destination: { ...r.destination, host: resolve(r.destination.host) } } : r,
    ),
    mirrors: route.mirrors.map((m) =>
      m.destination ? { ...m, destination: { ...m.destination, host: resolve(m.destination.host) } } : m,
    ),
    ...(route.mirror ? { mirror: { ...route.mirror, host: resolve(route.mirror.host) } } : {}),
  };
}

const destinationsOf = query(
  'virtualServiceDestinations',
  (read: MeshRead, namespace: string, name: string, clientNamespace: string): readonly Destination[] => {
    const resolved = read(virtualService, namespace, name);
    return resolved ? virtualServiceDestinations(resolved.spec, clientNamespace) : [];
  },
  alike,
);

/** The namespaces that the matches of a VirtualService name as those of clients. */
export const sourceNamespaces = query(
  'sourceNamespaces',
  (read: MeshRead, namespace: string, name: string): ReadonlySet<string> => {
    const { http = [] } = read(virtualService, namespace, name)?.spec ?? {};
    const named = http.flatMap(({ match }) => match.flatMap(({ sourceNamespace }) => sourceNamespace || []));
    return named.length === 0 ? NONE : new Set(named);
  },
  alike,
);

const NONE: ReadonlySet<string> = new Set();

/** The hosts that a VirtualService leads proxies of a namespace to. */
export function destinationsFor(
  read: MeshRead,
  { namespace, name }: Pick<VirtualServiceHead, 'namespace' | 'name'>,
  clientNamespace: string,
): readonly Destination[] {
  const client = read(sourceNamespaces, namespace, name).has(clientNamespace) ? clientNamespace : '';
  return read(destinationsOf, namespace, name, client);
}

const keysOnGateway = query(
  'virtualServiceKeysOnGateway',
  (read: MeshRead, gateway: string): readonly string[] =>
    [...read.group(byGateway, gateway), ...read(translatedServicesOn, gateway)].map(({ namespace, name }) =>
      objectKey(namespace, name),
    ),
  sameMembers,
);

/** All VirtualServices on a gateway, the oldest first. */
export const headsOnGateway = join(
  'virtualServicesOnGateway',
  keysOnGateway,
  virtualServiceHead,
  (heads): readonly VirtualServiceHead[] => heads.filter((head) => head !== undefined).sort(compareAge),
  sameMembers,
);

/**
 * The VirtualServices that proxies of a namespace use on a gateway (`mesh` or `namespace/name`): first those only for this
 * namespace, then those exported to it by name, then the public ones; each by age, the oldest first. For sidecars, routes of
 * the Gateway API that are of the namespace itself come before others of the same visibility.
 */
export const virtualServicesFor = query(
  'virtualServicesFor',
  (read: MeshRead, namespace: string, gateway: string): readonly VirtualServiceHead[] => {
    const publicity = ({ visibility, namespace: own }: VirtualServiceHead): number =>
      visibility === '*' ? 2 : own === namespace ? 0 : 1;
    const ownGatewayRoute = (head: VirtualServiceHead): number =>
      gateway === MESH_GATEWAY && head.semantics === 'gateway' && head.namespace === namespace ? 0 : 1;
    return read(headsOnGateway, gateway)
      .filter(({ visibility }) => isVisibleTo(visibility, namespace))
      .sort((a, b) => publicity(a) - publicity(b) || ownGatewayRoute(a) - ownGatewayRoute(b));
  },
  sameMembers,
);
