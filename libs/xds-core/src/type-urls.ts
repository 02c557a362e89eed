const envoyConfig = 'type.googleapis.com/envoy.config';

/** Type URLs that the protocol itself treats specially; all others are just names. */
export const TypeUrl = {
  cluster: `${envoyConfig}.cluster.v3.Cluster`,
  endpoint: `${envoyConfig}.endpoint.v3.ClusterLoadAssignment`,
  listener: `${envoyConfig}.listener.v3.Listener`,
  route: `${envoyConfig}.route.v3.RouteConfiguration`,
  scopedRoute: `${envoyConfig}.route.v3.ScopedRouteConfiguration`,
  virtualHost: `${envoyConfig}.route.v3.VirtualHost`,
  extensionConfig: `${envoyConfig}.core.v3.TypedExtensionConfig`,
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
} as const;

/** The order in which the types of one push are sent: what is referred to comes before what refers to it. */
export const pushOrder: readonly string[] = [
  TypeUrl.cluster,
  TypeUrl.endpoint,
  TypeUrl.listener,
  TypeUrl.route,
  TypeUrl.secret,
];

/**
 * Types that are asked for by name only. They know no wildcard, and a state-of-the-world response may hold only a part of
 * what is subscribed; all other types have wildcards and their responses are complete (xDS protocol, "How the client
 * specifies what resources to return").
 */
const namedOnly: ReadonlySet<string> = new Set([
  TypeUrl.endpoint,
  TypeUrl.route,
  TypeUrl.scopedRoute,
  TypeUrl.virtualHost,
  TypeUrl.extensionConfig,
  TypeUrl.secret,
]);

export function isNamedOnly(typeUrl: string): boolean {
  return namedOnly.has(typeUrl);
}

/** Types whose bytes go with their last watcher: they are in no cache that outlives it. */
export function isSensitive(typeUrl: string): boolean {
  return typeUrl === TypeUrl.secret;
}

/**
 * Make before break: additions of the types on the right are accepted before the type on the left is sent. Envoy
 * acknowledges clusters once they are warm, so that routes to them can wait for it (its cluster manager's documentation).
 */
export const acceptedBefore: Readonly<Record<string, readonly string[]>> = {
  [TypeUrl.listener]: [TypeUrl.cluster],
  [TypeUrl.route]: [TypeUrl.cluster],
};

/** Make before break: additions of the types on the right reach a client before the type on the left. */
export const sentAfter: Readonly<Record<string, readonly string[]>> = {
  [TypeUrl.listener]: [TypeUrl.cluster],
  [TypeUrl.route]: [TypeUrl.cluster, TypeUrl.listener],
};

/** Make before break: the type on the left loses resources only once the client accepted the types on the right. */
export const removedAfter: Readonly<Record<string, readonly string[]>> = {
  [TypeUrl.cluster]: [TypeUrl.listener, TypeUrl.route],
};
