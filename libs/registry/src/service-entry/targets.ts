import {
  deepEqual,
  labelGroups,
  type MeshRead,
  objectKey,
  type ObjectOf,
  serviceEntriesByEndpoint,
  serviceEntriesBySelector,
  workloadEntriesByAddress,
} from '@kedge/config';
import { query } from '@kedge/incremental';
import { labelsMatch } from '@kedge/model';
import { feature } from '../mesh.ts';
import { proxyAddresses, proxyMetadataNamespace } from '../proxy-facts.ts';
import type { MeshQuery, ProxyWorkload, ServiceTarget } from '../service-registry.ts';
import { hasIpAddress } from '../workload-entry.ts';
import type { Workload } from '../workload.ts';
import type { EntryContext } from './context.ts';
import { entryTargetPort } from './endpoints.ts';
import { workloadsOf } from './workloads.ts';

type ServiceEntry = ObjectOf<'ServiceEntry'>;

/** A workload at an address, with an entry that has it among its endpoints. */
interface Match {
  readonly entry: ServiceEntry;
  readonly workload: Workload;
}

/** Makes the query for the services of entries that have the asking proxy as an endpoint, by any of its addresses. */
export function serviceTargetsQuery(context: EntryContext): MeshQuery<[], readonly ServiceTarget[]> {
  const ofAddress = query(
    'entryTargets',
    (read: MeshRead, address: string, namespace: string): readonly ServiceTarget[] =>
      matchesAt(read, context, address, namespace).flatMap(({ entry, workload }) =>
        read(context.entryServices, objectKey(entry.namespace, entry.name)).flatMap((service) =>
          service.ports.flatMap((port, at) => {
            const described = entry.spec.ports[at];
            return described ? [{ service, port, targetPort: entryTargetPort(described, workload) }] : [];
          }),
        ),
      ),
    deepEqual,
  );
  return query(
    'entryTargetsOfProxy',
    (read: MeshRead): readonly ServiceTarget[] =>
      addressesOf(read).flatMap((address) => read(ofAddress, address, read.fact(proxyMetadataNamespace))),
    deepEqual,
  );
}

/** Makes the query for the workload that entries know at an address of the asking proxy. */
export function proxyWorkloadQuery(context: EntryContext): MeshQuery<[], ProxyWorkload | undefined> {
  const ofAddress = query(
    'entryWorkload',
    (read: MeshRead, address: string, namespace: string): ProxyWorkload | undefined => {
      const [found] = matchesAt(read, context, address, namespace);
      return found && { labels: found.workload.endpoint.labels, locality: found.workload.endpoint.locality };
    },
    deepEqual,
  );
  return query(
    'entryWorkloadOfProxy',
    (read: MeshRead): ProxyWorkload | undefined => {
      for (const address of addressesOf(read)) {
        const workload = read(ofAddress, address, read.fact(proxyMetadataNamespace));
        if (workload) return workload;
      }
      return undefined;
    },
    deepEqual,
  );
}

const addressesOf = (read: MeshRead): readonly string[] => read.fact(proxyAddresses).split(',').filter(Boolean);

/** Entries of the namespace (of any, where a proxy doesn't say its own) that have an endpoint at the address. */
function matchesAt(read: MeshRead, context: EntryContext, address: string, namespace: string): readonly Match[] {
  const isOwn = (object: { readonly namespace: string }): boolean => namespace === '' || object.namespace === namespace;
  const listed = read
    .group(serviceEntriesByEndpoint, address)
    .filter((entry) => isOwn(entry) && !entry.spec.workloadSelector)
    .flatMap((entry) => {
      const at = workloadsOf(read, context, entry).filter(({ endpoint }) => endpoint.addresses[0] === address);
      return at.map((workload) => ({ entry, workload }));
    });
  const pods = feature(read, 'serviceEntrySelectsPods') ? read.group(context.objects.podsByIp, address) : [];
  const selected = [
    ...pods
      .filter(isOwn)
      .map(({ namespace: own, name }) => read(context.podWorkload, objectKey(own, name)))
      .filter((workload) => workload?.ready && workload.endpoint.addresses[0] === address),
    ...read
      .group(workloadEntriesByAddress, address)
      .filter(isOwn)
      .map(({ namespace: own, name }) => read(context.workloadEntry, objectKey(own, name))),
  ];
  return [...listed, ...selected.flatMap((workload) => (workload ? selecting(read, workload) : []))];
}

/** The entries that select a workload by its labels. */
function selecting(read: MeshRead, workload: Workload): readonly Match[] {
  const { namespace, labels } = workload.endpoint;
  return labelGroups(namespace, labels)
    .flatMap((group) => read.group(serviceEntriesBySelector, group))
    .filter(({ spec }) => labelsMatch(spec.workloadSelector?.labels ?? {}, labels) && hasIpAddress(workload))
    .map((entry) => ({ entry, workload }));
}
