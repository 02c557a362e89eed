import { type MeshRead, objectKey, type ObjectOf, selectorGroup, workloadEntriesByLabel } from '@kedge/config';
import { labelsMatch } from '@kedge/model';
import { feature } from '../mesh.ts';
import { hasIpAddress, workloadOf } from '../workload-entry.ts';
import type { Workload } from '../workload.ts';
import type { EntryContext } from './context.ts';

type ServiceEntry = ObjectOf<'ServiceEntry'>;

const isDns = ({ spec }: ServiceEntry): boolean => spec.resolution === 'DNS' || spec.resolution === 'DNS_ROUND_ROBIN';

/** The workloads behind an entry: those it lists, or those it selects, pods first, by name. */
export function workloadsOf(read: MeshRead, context: EntryContext, entry: ServiceEntry): readonly Workload[] {
  return entry.spec.workloadSelector ? selectedWorkloads(read, context, entry) : listedWorkloads(read, context, entry);
}

function listedWorkloads(
  read: MeshRead,
  { cluster }: EntryContext,
  { namespace, name, spec }: ServiceEntry,
): readonly Workload[] {
  return spec.endpoints.map((endpoint, at) =>
    workloadOf(read, endpoint, { namespace, name: `${name}-${at}`, labels: endpoint.labels, cluster }),
  );
}

function selectedWorkloads(read: MeshRead, context: EntryContext, entry: ServiceEntry): readonly Workload[] {
  const { namespace, spec } = entry;
  const selector = spec.workloadSelector?.labels ?? {};
  const group = selectorGroup(namespace, selector);
  const pods = feature(read, 'serviceEntrySelectsPods')
    ? read
        .group(context.objects.podsByLabel, group)
        .map(({ name }) => read(context.podWorkload, objectKey(namespace, name)))
        .filter((workload) => workload?.ready)
    : [];
  const entries = read
    .group(workloadEntriesByLabel, group)
    .map(({ name }) => read(context.workloadEntry, objectKey(namespace, name)));
  return [...pods, ...entries].filter(
    (workload): workload is Workload =>
      workload !== undefined &&
      labelsMatch(selector, workload.endpoint.labels) &&
      (isDns(entry) || hasIpAddress(workload)),
  );
}

/** Whether an entry's endpoint is its host, to be resolved by DNS. */
export const resolvesItsHost = (entry: ServiceEntry): boolean =>
  isDns(entry) && entry.spec.endpoints.length === 0 && !entry.spec.workloadSelector;
