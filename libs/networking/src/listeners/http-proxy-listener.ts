import type { MeshRead } from '@kedge/config';
import { meshConfig, metadataText } from '@kedge/pushcontext';
import { ipFamilies, localhosts } from '../ip-families.ts';
import { listenerName, type OutboundListenerPlan } from './listener-plan.ts';

/** Name of the routes for clients that use the proxy as their HTTP proxy. */
const HTTP_PROXY_ROUTES = 'http_proxy';

/** The listener for such clients; undefined where neither proxy nor mesh state a port for it. */
export function httpProxyPlan(read: MeshRead): OutboundListenerPlan | undefined {
  const stated = String(read.fact(metadataText, 'httpProxyPort') ?? '');
  const port = /^\d+$/.test(stated) ? Number(stated) : (meshConfig(read).proxyHttpPort ?? 0);
  if (port === 0) return undefined;
  const addresses = localhosts(read.fact(ipFamilies));
  return {
    name: listenerName(addresses[0] ?? '', port),
    binding: { addresses, toPort: true },
    port,
    chains: [
      {
        match: { serverNames: [], ranges: [], http: false },
        target: { kind: 'http', routeName: HTTP_PROXY_ROUTES, grpcWeb: false, isHttpProxy: true },
        from: [],
      },
    ],
  };
}
