import {
  deepEqual,
  labelGroups,
  type MeshRead,
  objectKey,
  type ObjectOf,
  workloadEntriesByAddress,
} from '@kedge/config';
import { proxyNamespace } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Labels, labelsMatch, type Service } from '@kedge/model';
import {
  proxyAddress,
  proxyConfiguredPod,
  proxyHasLabels,
  proxyHasPodPorts,
  proxyMetadataNamespace,
  proxyNodeName,
  proxyPod,
  proxyPodPort,
  proxySelectedBy,
  selectorText,
} from '../proxy-facts.ts';
import type { MeshQuery, ProxyWorkload, ServiceTarget } from '../service-registry.ts';
import { hasIpAddress } from '../workload-entry.ts';
import { withTopology, type Workload } from '../workload.ts';
import type { ClusterContext } from './context.ts';
import { runningContainers } from './pod-workload.ts';
import { targetPortOf } from './target-port.ts';

type KubernetesService = ObjectOf<'Service'>;
type PortOf = (port: KubernetesService['spec']['ports'][number]) => number | undefined;
type ServiceOf = MeshQuery<[key: string], Service | undefined>;

/**
 * Makes the query for what the asking proxy serves: as the WorkloadEntry with its address, as the pod that its id names,
 * or, while that pod is not known yet, as the workload that its own metadata describes.
 */
export function serviceTargetsQuery(
  context: ClusterContext,
  service: ServiceOf,
): MeshQuery<[], readonly ServiceTarget[]> {
  const ofPod = podTargetsQuery(context, service);
  const ofEntry = workloadEntryTargetsQuery(context, service);
  const ofAddress = addressTargetsQuery(context, service);
  return query(
    'kubernetesTargets',
    (read: MeshRead): readonly ServiceTarget[] => {
      const address = read.fact(proxyAddress);
      if (!address) return [];
      const entry = entryOfProxy(read, context, address);
      if (entry !== undefined) return read(ofEntry, entry);
      const pod = podOfProxy(read, context);
      if (!pod) return targetsOfMetadata(read, context, service);
      const selected = read(ofPod, objectKey(pod.namespace, pod.name));
      return selected ?? read(ofAddress, read.fact(proxyMetadataNamespace), address);
    },
    deepEqual,
  );
}

/** Makes the query for the pod of the asking proxy. */
export function proxyWorkloadQuery(context: ClusterContext): MeshQuery<[], ProxyWorkload | undefined> {
  return query(
    'kubernetesProxyWorkload',
    (read: MeshRead): ProxyWorkload | undefined => {
      const pod = podOfProxy(read, context);
      const workload = pod && read(context.podWorkload, objectKey(pod.namespace, pod.name));
      if (!pod || !workload) return undefined;
      const { cluster, locality, network } = workload.endpoint;
      const nodeName = read.fact(proxyNodeName);
      return { labels: withTopology(pod.labels, { cluster, locality, nodeName, network }), locality };
    },
    deepEqual,
  );
}

function podOfProxy(read: MeshRead, { objects }: ClusterContext): ObjectOf<'Pod'> | undefined {
  const key = read.fact(proxyPod);
  const pod = key ? read.get(objects.sources.Pod, key) : undefined;
  return pod?.status?.phase === 'Failed' ? undefined : pod;
}

/** The key of the WorkloadEntry with an address; of several, the one named like the proxy, else one of its namespace. */
function entryOfProxy(read: MeshRead, { workloadEntry }: ClusterContext, address: string): string | undefined {
  const entries = read.group(workloadEntriesByAddress, address).flatMap(({ namespace, name }) => {
    const key = objectKey(namespace, name);
    const workload = read(workloadEntry, key);
    return workload && hasIpAddress(workload) && hasOwnLabels(workload.endpoint.labels) ? [{ key, namespace }] : [];
  });
  if (entries.length <= 1) return entries[0]?.key;
  const named = read.fact(proxyConfiguredPod);
  const own = read.fact(proxyNamespace);
  return (entries.find(({ key }) => key === named) ?? entries.find(({ namespace }) => namespace === own) ?? entries[0])
    ?.key;
}

/** Labels that follow from the topology alone select nothing. */
const hasOwnLabels = (labels: Labels): boolean => Object.keys(labels).some((key) => !key.startsWith('topology.'));

/** The services of a namespace that select a workload by its labels. */
function servicesSelecting(
  read: MeshRead,
  { objects }: ClusterContext,
  namespace: string,
  labels: Labels,
): readonly KubernetesService[] {
  return labelGroups(namespace, labels).flatMap((group) =>
    read.group(objects.servicesBySelector, group).filter(({ spec }) => labelsMatch(spec.selector, labels)),
  );
}

/** Targets of a pod by key; undefined where no service selects it. */
function podTargetsQuery(
  context: ClusterContext,
  service: ServiceOf,
): MeshQuery<[key: string], readonly ServiceTarget[] | undefined> {
  return query(
    'podTargets',
    (read: MeshRead, key: string) => {
      const pod = read.get(context.objects.sources.Pod, key);
      if (!pod) return undefined;
      const selecting = servicesSelecting(read, context, pod.namespace, pod.labels);
      if (selecting.length === 0) return undefined;
      return selecting.flatMap((object) => targetsOf(read, service, object, (port) => podPort(pod, port)));
    },
    deepEqual,
  );
}

/** The container port behind a service port: its number, or the one that a running container gives that name. */
function podPort(
  pod: ObjectOf<'Pod'>,
  { port, targetPort, protocol = 'TCP' }: Parameters<PortOf>[0],
): number | undefined {
  if (typeof targetPort !== 'string') return targetPort ?? port;
  return runningContainers(pod)
    .flatMap(({ ports }) => ports)
    .find(({ name, protocol: own = 'TCP' }) => name === targetPort && own === protocol)?.containerPort;
}

/** One target for each port and protocol of the workload; of several service ports on one, the first counts. */
function targetsOf(
  read: MeshRead,
  serviceOf: ServiceOf,
  object: KubernetesService,
  portOf: PortOf,
): readonly ServiceTarget[] {
  const service = read(serviceOf, objectKey(object.namespace, object.name));
  if (!service) return [];
  const targets = new Map<string, ServiceTarget>();
  for (const [at, port] of service.ports.entries()) {
    const described = object.spec.ports[at];
    const targetPort = described && portOf(described);
    if (targetPort === undefined) continue;
    const place = `${targetPort} ${port.protocol}`;
    if (!targets.has(place)) targets.set(place, { service, port, targetPort });
  }
  return [...targets.values()];
}

function workloadEntryTargetsQuery(
  context: ClusterContext,
  serviceOf: ServiceOf,
): MeshQuery<[key: string], readonly ServiceTarget[]> {
  return query(
    'workloadEntryTargets',
    (read: MeshRead, key: string): readonly ServiceTarget[] => {
      const entry = read(context.workloadEntry, key);
      if (!entry) return [];
      const { namespace, labels } = entry.endpoint;
      return servicesSelecting(read, context, namespace, labels).flatMap((object) =>
        entryTargets(read(serviceOf, objectKey(namespace, object.name)), object, entry),
      );
    },
    deepEqual,
  );
}

function entryTargets(service: Service | undefined, object: KubernetesService, entry: Workload): ServiceTarget[] {
  if (service?.resolution !== 'client-side-lb') return [];
  return service.ports.flatMap((port) => {
    const targetPort = port.protocol === 'UDP' ? undefined : targetPortOf(object, port.name, port.port, entry.ports);
    return targetPort === undefined ? [] : [{ service, port, targetPort }];
  });
}

/** Targets of an address that slices list though no service selects its pod: services whose endpoints others manage. */
function addressTargetsQuery(
  { objects }: ClusterContext,
  serviceOf: ServiceOf,
): MeshQuery<[namespace: string, address: string], readonly ServiceTarget[]> {
  return query(
    'addressTargets',
    (read: MeshRead, namespace: string, address: string): readonly ServiceTarget[] =>
      read.group(objects.slicesByAddress, objectKey(namespace, address)).flatMap(({ labels, spec }) => {
        const service = read(serviceOf, objectKey(namespace, labels['kubernetes.io/service-name'] ?? ''));
        return spec.ports.flatMap(({ name, port: targetPort = 0 }) => {
          const port = service?.ports.find((candidate) => candidate.name === name);
          return service && port ? [{ service, port, targetPort }] : [];
        });
      }),
    deepEqual,
  );
}

/** What the proxy says of itself is enough to tell its services, unless it leaves out a port that one of them names. */
function targetsOfMetadata(
  read: MeshRead,
  { objects }: ClusterContext,
  serviceOf: ServiceOf,
): readonly ServiceTarget[] {
  if (!read.fact(proxyHasLabels)) return [];
  const namespace = read.fact(proxyNamespace);
  const selecting = read
    .group(objects.servicesByNamespace, namespace)
    .filter(
      ({ spec }) => Object.keys(spec.selector).length > 0 && read.fact(proxySelectedBy, selectorText(spec.selector)),
    );
  const portOf: PortOf = ({ port, targetPort, protocol = 'TCP' }) => {
    if (typeof targetPort !== 'string') return targetPort ?? port;
    return read.fact(proxyHasPodPorts) ? read.fact(proxyPodPort, targetPort, protocol) : 0;
  };
  if (selecting.some(({ spec }) => spec.ports.some((port) => portOf(port) === undefined))) return [];
  return selecting.flatMap((object) => targetsOf(read, serviceOf, object, portOf));
}
