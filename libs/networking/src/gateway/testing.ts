import type { Listener, RouteConfiguration } from '@kedge/envoy-api';
import type { Diagnostic } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { messagesOf, proxyOf, type ProxyOptions } from '../testing/mesh.ts';
import { gatewayListenerDiagnostics, gatewayListeners } from './listeners.ts';
import { gatewayRouteConfiguration } from './route-configuration.ts';

/* Gateways in tests: short manifests, and what a proxy labelled `app: edge` gets. */

export function gatewayProxy(options: ProxyOptions = {}) {
  const metadata = { LABELS: { app: 'edge' }, SERVICE_ACCOUNT: 'edge', ...options.metadata };
  return proxyOf('edge', { type: 'router', namespace: 'edge', ...options, metadata });
}

export const edge = gatewayProxy();

/** A Gateway for the proxy with servers in flow style, one a line. */
export const gateway = (name: string, servers: readonly string[], namespace = 'edge'): string => `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  selector: {app: edge}
  servers:
${servers.map((server) => `  - ${server}`).join('\n')}
---`;

/** A VirtualService of namespace `shop`; `rest` is the part of its spec that routes. */
export const virtualService = (name: string, hosts: string, gateways: string, rest: string): string => `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: shop}
spec: {hosts: [${hosts}], gateways: [${gateways}], ${rest}}
---`;

export const toWeb = 'http: [{route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 80}}}]}]';

export function listeners(push: PushContext, proxy = edge): Readonly<Record<string, Listener>> {
  return messagesOf(push.evaluate(proxy, gatewayListeners)) as unknown as Readonly<Record<string, Listener>>;
}

export function routes(push: PushContext, name: string, proxy = edge): RouteConfiguration {
  const resource = push.evaluate(proxy, gatewayRouteConfiguration, name);
  return (resource ? messagesOf([resource])[name] : {}) as unknown as RouteConfiguration;
}

export function findings(push: PushContext, proxy = edge): readonly string[] {
  const shown = ({ code, namespace, name, field }: Diagnostic): string => `${code} ${namespace}/${name} ${field}`;
  return push.evaluate(proxy, gatewayListenerDiagnostics).map(shown);
}

/** The SNI values of a listener's chains, and the routes or cluster behind each. */
export function chainsOf(listener: Listener | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (listener?.filterChains ?? []).map(({ filterChainMatch, filters = [] }) => {
      const config = filters.at(-1)?.typedConfig as unknown as {
        readonly rds?: { readonly routeConfigName: string };
        readonly cluster?: string;
      };
      return [(filterChainMatch?.serverNames ?? ['*']).join(','), config.rds?.routeConfigName ?? config.cluster ?? ''];
    }),
  );
}
