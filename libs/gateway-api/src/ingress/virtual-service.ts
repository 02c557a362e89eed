import { type ConfigOf, type IngressBackend, type IngressPath, kinds, type KubernetesOf } from '@kedge/model';
import { derivedConfig } from '../derived-config.ts';
import { GENERATED, gatewayName } from './gateway.ts';

type Ingress = KubernetesOf<'Ingress'>;

/** A rule of an Ingress, with where it comes from. */
export interface HostRule {
  readonly ingress: Pick<Ingress, 'name' | 'namespace' | 'creationTimestamp'>;
  /** Its place among the rules of the Ingress. */
  readonly position: number;
  readonly paths: readonly IngressPath[];
}

/** What the conversion must know besides. */
export interface IngressSurroundings {
  readonly domainSuffix: string;
  /** The namespace of the Gateways that stand for Ingresses. */
  readonly gatewayNamespace: string;
  /** The number of a named port of a service; undefined where there is none. */
  portNumber(namespace: string, service: string, portName: string): number | undefined;
}

/** The rules of Ingresses by their host; `*` where a rule names none. Rules without HTTP say nothing. */
export function rulesByHost(ingresses: readonly Ingress[]): ReadonlyMap<string, readonly HostRule[]> {
  const rules = ingresses.flatMap(({ name, namespace, creationTimestamp, spec }) =>
    spec.rules.flatMap(({ host, http }, position) => {
      const ingress = { name, namespace, creationTimestamp };
      return http ? [{ host: host || '*', rule: { ingress, position, paths: http.paths } }] : [];
    }),
  );
  return new Map(
    [...Map.groupBy(rules, ({ host }) => host)].map(([host, list]) => [host, list.map(({ rule }) => rule)]),
  );
}

/**
 * The VirtualService for a host: all paths of all Ingresses, the longest first. It belongs to the oldest Ingress.
 * https://kubernetes.io/docs/concepts/services-networking/ingress/#multiple-matches
 */
export function ingressVirtualService(
  host: string,
  rules: readonly HostRule[],
  surroundings: IngressSurroundings,
): ConfigOf<'VirtualService'> | undefined {
  const sorted = rules.toSorted(byAge);
  const owner = sorted[0]?.ingress;
  if (!owner) return undefined;
  const http = sorted
    .flatMap(({ ingress, paths }) => paths.flatMap((path) => routeOf(path, ingress.namespace, surroundings) ?? []))
    .sort(byPrecedence);
  return derivedConfig(kinds.VirtualService, {
    namespace: owner.namespace,
    name: `${host.replaceAll('.', '-')}-${owner.name}-${GENERATED}`,
    annotations: { 'internal.istio.io/route-semantics': 'ingress' },
    spec: { hosts: [host], gateways: [`${surroundings.gatewayNamespace}/${gatewayName(owner)}`], http },
  });
}

function byAge(a: HostRule, b: HostRule): number {
  return (
    a.ingress.creationTimestamp - b.ingress.creationTimestamp ||
    compare(a.ingress.name, b.ingress.name) ||
    compare(a.ingress.namespace, b.ingress.namespace) ||
    a.position - b.position
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What a path matches; undefined for all. */
type UriMatch = { readonly exact: string } | { readonly prefix: string };

interface Route {
  readonly match?: readonly { readonly uri: UriMatch }[];
  readonly route: readonly object[];
}

/** Longer paths first; of equally long ones, those to be matched exactly. */
function byPrecedence(a: Route, b: Route): number {
  return pathLength(b) - pathLength(a) || Number(isExact(b)) - Number(isExact(a));
}

const uriOf = ({ match }: Route): UriMatch | undefined => match?.[0]?.uri;
const isExact = (route: Route): boolean => 'exact' in (uriOf(route) ?? {});

function pathLength(route: Route): number {
  const uri = uriOf(route);
  if (!uri) return 0;
  return ('exact' in uri ? uri.exact : uri.prefix).length;
}

/** Undefined for a path that leads nowhere. */
function routeOf(path: IngressPath, namespace: string, surroundings: IngressSurroundings): Route | undefined {
  const number = backendPort(path.backend, namespace, surroundings);
  const service = path.backend?.service?.name;
  if (number === undefined || !service) return undefined;
  const host = `${service}.${namespace}.svc.${surroundings.domainSuffix}`;
  const uri = uriMatch(path);
  return {
    ...(uri ? { match: [{ uri }] } : {}),
    route: [{ destination: { host, port: { number } }, weight: 100 }],
  };
}

function backendPort(
  backend: IngressBackend | undefined,
  namespace: string,
  { portNumber }: IngressSurroundings,
): number | undefined {
  const { name = '', port } = backend?.service ?? {};
  return port?.number || portNumber(namespace, name, port?.name ?? '');
}

/** Other types of path than Kubernetes's own are as before these: exact, or a prefix where they end in a star. */
function uriMatch({ path = '', pathType }: IngressPath): UriMatch | undefined {
  if (pathType === 'Exact') return { exact: path };
  if (pathType === 'Prefix') return { prefix: path };
  if (['', '*', '/*', '.*'].includes(path)) return undefined;
  return path.endsWith('.*') || path.endsWith('/*') ? { prefix: path.slice(0, -2) } : { exact: path };
}
