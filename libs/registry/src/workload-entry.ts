import { deepEqual, istioSources, type MeshRead, workloadEntryLabels } from '@kedge/config';
import { query } from '@kedge/incremental';
import { isJsonObject, type Labels, type WorkloadEntry } from '@kedge/model';
import ipaddr from 'ipaddr.js';
import { trustDomain } from './mesh.ts';
import { spiffeId } from './spiffe.ts';
import type { MeshQuery } from './service-registry.ts';
import { labelledLocality, labelledTlsMode, withTopology, type Workload } from './workload.ts';

/** Address that is a path of a Unix domain socket. */
export const isUnixAddress = (address: string): boolean => address.startsWith('unix://');

/** The workload of an endpoint as ServiceEntry lists it or WorkloadEntry describes it. */
export function workloadOf(
  read: MeshRead,
  spec: WorkloadEntry,
  where: { readonly namespace: string; readonly name: string; readonly labels: Labels; readonly cluster: string },
): Workload {
  const { address = '', serviceAccount, network = '' } = spec;
  const { namespace, name, labels, cluster } = where;
  const locality = spec.locality || labelledLocality(labels);
  return {
    endpoint: {
      addresses: [address],
      labels: withTopology(labels, { cluster, locality, nodeName: '', network }),
      serviceAccount: serviceAccount ? spiffeId(read(trustDomain), namespace, serviceAccount) : '',
      namespace,
      workloadName: name,
      network,
      locality,
      cluster,
      nodeName: '',
      weight: spec.weight ?? 0,
      tlsMode: serviceAccount && !('security.istio.io/tlsMode' in labels) ? 'istio' : labelledTlsMode(labels),
      health: 'unknown',
    },
    ports: spec.ports,
    ready: true,
  };
}

/** Makes the query for the workload of a WorkloadEntry, by key; one that fails its health checks counts as absent. */
export function workloadEntryQuery(cluster: string): MeshQuery<[key: string], Workload | undefined> {
  return query(
    'workloadEntry',
    (read: MeshRead, key: string) => {
      const entry = read.get(istioSources.WorkloadEntry, key);
      if (!entry || !isHealthy(entry)) return undefined;
      const labels = workloadEntryLabels(entry);
      const name =
        entry.annotations['istio.io/autoRegistrationGroup'] ??
        entry.labels['service.istio.io/workload-name'] ??
        entry.name;
      return workloadOf(read, entry.spec, { namespace: entry.namespace, name, labels, cluster });
    },
    deepEqual,
  );
}

/** Whether a workload has an IP address, as services of Kubernetes and of static resolution need. */
export function hasIpAddress({ endpoint }: Workload): boolean {
  const [address = ''] = endpoint.addresses;
  return address === '' || ipaddr.isValid(address);
}

/** With health checks, an entry is healthy only once its status says so. */
function isHealthy(entry: { readonly annotations: Labels; readonly status?: unknown }): boolean {
  if (!/^(1|t|true)$/i.test(entry.annotations['proxy.istio.io/health-checks-enabled'] ?? '')) return true;
  const { conditions } = isJsonObject(entry.status) ? entry.status : {};
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (condition) => isJsonObject(condition) && condition.type === 'Healthy' && condition.status === 'True',
    )
  );
}
