import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { canonicalHost, type Hostname, hostLookupOrder } from '@kedge/model';
import { alike, domainSuffix, meshConfig } from '@kedge/pushcontext';

/** What MeshConfig and the defaults say of hosts, wildcards included. */
const clusterLocalHosts = query(
  'clusterLocalHosts',
  (read: MeshRead): Readonly<Record<Hostname, boolean>> => {
    const suffix = domainSuffix(read);
    const { serviceSettings, defaultConfig } = meshConfig(read);
    const discovery = (defaultConfig?.discoveryAddress ?? '').replace(/:\d+$/, '');
    const defaults = [
      `*.kube-system.svc.${suffix}`,
      `kubernetes.default.svc.${suffix}`,
      discovery.endsWith(suffix) ? discovery : `${discovery}.${suffix}`,
    ];
    const stated = serviceSettings.flatMap(({ hosts, settings }) =>
      hosts.map((host) => ({ host: canonicalHost(host), local: settings?.clusterLocal ?? false })),
    );
    const opened = stated.filter(({ local }) => !local).map(({ host }) => host);
    const remaining = defaults.filter(
      (host) => !opened.some((other) => other === host || (host.startsWith('*') && other.endsWith(host.slice(1)))),
    );
    return Object.fromEntries([
      ...stated.map(({ host, local }) => [host, local] as const),
      ...remaining.map((host) => [host, true] as const),
    ]);
  },
  alike,
);

/**
 * Whether a host is served within the client's own cluster only; the most specific setting decides.
 * https://istio.io/latest/docs/ops/configuration/traffic-management/multicluster/#keeping-traffic-in-cluster
 */
export const isClusterLocal = query('isClusterLocal', (read: MeshRead, host: Hostname): boolean => {
  const hosts = read(clusterLocalHosts);
  for (const candidate of hostLookupOrder(host)) {
    const local = hosts[candidate];
    if (local !== undefined) return local;
  }
  return false;
});
