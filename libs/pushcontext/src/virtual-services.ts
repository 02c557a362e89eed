import { index, query } from '@kedge/incremental';
import {
  canonicalHost,
  type ConfigOf,
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

/** The gateway name that stands for all sidecars. */
export const MESH_GATEWAY = 'mesh';

/** A VirtualService with every host written in full, its gateways by namespace, and its delegates' routes put in. */
export interface ResolvedVirtualService {
  readonly namespace: string;
  readonly name: string;
  readonly creationTimestamp: number;
  readonly spec: VirtualService;
  /** `mesh` or `namespace/name`. */
  readonly gateways: readonly string[];
  readonly visibility: Visibility;
  readonly annotations: Readonly<Record<string, string>>;
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
    const config = read.get(istioSources.VirtualService, objectKey(namespace, name));
    if (!config) return undefined;
    const gateways = gatewayNames(config);
    const self: ObjectRef = { kind: config.kind, namespace, name };
    const from = [self];
    const http = config.spec.http.flatMap((route): readonly HTTPRoute[] => {
      if (!route.delegate) return [route];
      const target = { namespace: route.delegate.namespace || namespace, name: route.delegate.name ?? '' };
      const delegate = read.get(istioSources.VirtualService, objectKey(target.namespace, target.name));
      if (!delegate || delegate.spec.hosts.length > 0) return [];
      if (!isVisibleTo(routeVisibility(read, delegate), namespace)) return [];
      from.push({ kind: config.kind, ...target });
      const routes = delegate.spec.http.map((r) => resolveRoute(r, target.namespace, domainSuffix(read)));
      return mergeDelegate(route, routes);
    });
    return {
      namespace,
      name,
      creationTimestamp: config.creationTimestamp,
      spec: resolveHosts({ ...config.spec, http }, namespace, domainSuffix(read)),
      gateways,
      visibility: routeVisibility(read, config),
      annotations: config.annotations,
      from,
    };
  },
  alike,
);

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

/**
 * The VirtualServices that proxies of a namespace use on a gateway (`mesh` or `namespace/name`): first those only for this
 * namespace, then those exported to it by name, then the public ones; each by age, the oldest first.
 */
export const virtualServicesFor = query(
  'virtualServicesFor',
  (read: MeshRead, namespace: string, gateway: string): readonly ResolvedVirtualService[] => {
    const resolved = read
      .group(byGateway, gateway)
      .map((config) => read(virtualService, config.namespace, config.name))
      .filter((vs) => vs !== undefined)
      .sort(compareAge);
    const rank = (vs: ResolvedVirtualService): number =>
      vs.visibility === '*' ? 2 : !vs.visibility.includes(namespace) ? -1 : vs.namespace === namespace ? 0 : 1;
    return [0, 1, 2].flatMap((wanted) => resolved.filter((vs) => rank(vs) === wanted));
  },
  sameMembers,
);
