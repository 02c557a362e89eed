import { decodeAny, type Route, type RouteConfiguration, type VirtualHost } from '@kedge/envoy-api';
import type { Proxy } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { sidecarRouteConfiguration } from '../routes/sidecar-route-configuration.ts';
import { proxyOf } from './mesh.ts';

/** A route configuration of a sidecar, of one in `shop` where nothing else is said. */
export function routesAt(push: PushContext, name: string, proxy: Proxy = proxyOf('client')): RouteConfiguration {
  const resource = push.evaluate(proxy, sidecarRouteConfiguration, name);
  if (!resource) throw new Error(`no route configuration ${name}`);
  return decodeAny(resource.any) as RouteConfiguration;
}

/** Its virtual hosts by name. */
export function hostsAt(push: PushContext, name: string, proxy?: Proxy): Readonly<Record<string, VirtualHost>> {
  const { virtualHosts = [] } = routesAt(push, name, proxy);
  return Object.fromEntries(virtualHosts.map((host) => [host.name ?? '', host]));
}

/** Manifest of a VirtualService, with `http` and the like in YAML's flow style. */
export function virtualServiceManifest(name: string, spec: string, { namespace = 'shop', hour = 0 } = {}): string {
  return `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: ${namespace}, creationTimestamp: "2024-01-01T0${hour}:00:00Z"}
spec: {${spec}}
---`;
}

/** The one route that a rule comes to, for requests to \`web\`. */
export function onlyRoute(push: PushContext, proxy?: Proxy): Route {
  const [route, ...others] = hostsAt(push, '80', proxy)['web.shop.svc.cluster.local:80']?.routes ?? [];
  if (!route || others.length > 0) throw new Error(`${others.length + (route ? 1 : 0)} routes instead of one`);
  return route;
}
