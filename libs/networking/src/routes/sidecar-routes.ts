import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { virtualService } from '@kedge/pushcontext';
import { type EncodedRoutes, encodeRoutes, NO_ROUTES, sameRoutes } from './encoded-routes.ts';
import { sidecarRouteContext } from './route-listener.ts';
import { virtualServiceRoutes } from './virtual-service-routes.ts';

/** The routes of a VirtualService at a listener of the sidecar; sidecars to which it means the same share them. */
export const sidecarRoutes = query(
  'sidecarRoutes',
  (read: MeshRead, namespace: string, name: string, listener: string, port: number): EncodedRoutes => {
    const service = read(virtualService, namespace, name);
    if (!service) return NO_ROUTES;
    return encodeRoutes(virtualServiceRoutes(service, sidecarRouteContext(read, listener, port)), service);
  },
  sameRoutes,
);

/** Whether a VirtualService has anything to say to the sidecar at the listener; if not, it is as if it weren't there. */
export const hasSidecarRoutes = query(
  'hasSidecarRoutes',
  (read: MeshRead, namespace: string, name: string, listener: string, port: number) =>
    read(sidecarRoutes, namespace, name, listener, port).routes.length > 0,
);

/** Whether a VirtualService would have something to say, but Envoy would take none of it. */
export function isBroken(
  read: MeshRead,
  ...of: readonly [namespace: string, name: string, listener: string, port: number]
): boolean {
  return !read(hasSidecarRoutes, ...of) && read(sidecarRoutes, ...of).diagnostics.length > 0;
}
