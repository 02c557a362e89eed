import type { MeshRead } from '@kedge/config';
import { servicesOfHost, servicesOfKey } from '@kedge/registry';
import { outboundClusterName } from './clusters/cluster-name.ts';

/** The service that a setting names, and the cluster by which proxies reach it. */
export interface ProviderCluster {
  readonly host: string;
  readonly cluster: string;
}

/**
 * Finds the service that a setting of the mesh means by `HOST` or `NAMESPACE/HOST`. A host that services of several namespaces
 * have needs a namespace.
 */
export function providerCluster(
  read: MeshRead,
  service: string,
  port: number,
): ProviderCluster | { readonly problem: string } {
  const [first = '', second, ...rest] = service.split('/');
  const [namespace, host] = second === undefined ? [undefined, first] : [first, second];
  const found =
    host === '' || rest.length > 0
      ? []
      : namespace === undefined
        ? read(servicesOfHost, host)
        : read(servicesOfKey, host, namespace);
  const namespaces = [...new Set(found.map((one) => one.namespace))].sort();
  if (namespaces.length > 1) {
    return { problem: `service ${host} is in the namespaces ${namespaces.join(', ')}: write NAMESPACE/${host}` };
  }
  if (namespaces.length === 0) return { problem: `there is no service ${service || 'without a name'}` };
  return { host, cluster: outboundClusterName(host, port) };
}
