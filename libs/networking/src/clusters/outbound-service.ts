import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { portNumbered, type Service } from '@kedge/model';
import { scopeServicesOfHost } from '@kedge/pushcontext';
import { servicesOfKey } from '@kedge/registry';

/**
 * The service behind a port of a host, as the asking proxy sees it. It is the service as its registry has it, whatever a
 * Sidecar leaves of its ports, so proxies that reach it in different ways agree on it. Ask with `read.by`.
 */
export const outboundService = query(
  'outboundService',
  (read: MeshRead, host: string, port: number): Service | undefined => {
    const serves = (service: Service): boolean => portNumbered(service, port) !== undefined;
    const seen = read(scopeServicesOfHost, host).find(serves);
    if (!seen) return undefined;
    const all = read(servicesOfKey, host, seen.namespace).filter(
      (service) => service.provider === seen.provider && serves(service),
    );
    return all.find(({ name, resolution }) => name === seen.name && resolution === seen.resolution) ?? all[0];
  },
);
