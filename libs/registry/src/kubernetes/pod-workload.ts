import { deepEqual, type KubernetesSources, type MeshRead, type ObjectOf, objectKey } from '@kedge/config';
import { query } from '@kedge/incremental';
import { firstLabel } from '@kedge/model';
import { feature, trustDomain } from '../mesh.ts';
import type { NetworkOf } from '../network.ts';
import type { MeshQuery } from '../service-registry.ts';
import { spiffeId } from '../spiffe.ts';
import { labelledLocality, labelledTlsMode, withTopology, type Workload } from '../workload.ts';

type Pod = ObjectOf<'Pod'>;
type Container = Pod['spec']['containers'][number];

/** Makes the query for the workload of a pod, by its key. */
export function podWorkloadQuery(
  cluster: string,
  { sources }: KubernetesSources,
  networkOf: NetworkOf,
): MeshQuery<[key: string], Workload | undefined> {
  const nodeLocality = nodeLocalityQuery(sources);
  return query(
    'podWorkload',
    (read: MeshRead, key: string): Workload | undefined => {
      const pod = read.get(sources.Pod, key);
      if (!pod || pod.status?.phase === 'Failed') return undefined;
      const { spec, labels, namespace } = pod;
      const nodeName = spec.nodeName ?? '';
      const locality = labelledLocality(labels) || read(nodeLocality, nodeName);
      const address = pod.status?.podIP ?? '';
      const network = networkOf(read, address, labels);
      return {
        endpoint: {
          addresses: feature(read, 'dualStack') ? podAddresses(pod) : [address],
          labels: withTopology(labels, { cluster, locality, nodeName, network }),
          serviceAccount: spiffeId(read(trustDomain), namespace, spec.serviceAccountName ?? ''),
          namespace,
          workloadName: workloadName(pod),
          network,
          locality,
          cluster,
          nodeName,
          weight: 0,
          tlsMode: labelledTlsMode(labels),
          health: 'healthy',
          ...(spec.subdomain && { subdomain: spec.subdomain, hostname: spec.hostname || pod.name }),
        },
        ports: namedPorts(pod),
        ready: isReady(pod),
      };
    },
    deepEqual,
  );
}

function nodeLocalityQuery(sources: KubernetesSources['sources']): MeshQuery<[name: string], string> {
  return query('nodeLocality', (read: MeshRead, name: string) => {
    const labels = name ? read.get(sources.Node, objectKey('', name))?.labels : undefined;
    if (!labels) return '';
    const parts = [
      firstLabel(labels, 'topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region') ?? '',
      firstLabel(labels, 'topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone') ?? '',
      labels['topology.istio.io/subzone'] ?? '',
    ];
    // Always of three parts: Istio groups endpoints by this text, apart from those whose entries leave a part out.
    return parts.some((part) => part !== '') ? parts.join('/') : '';
  });
}

/** Every address of a pod, in the order of its status. */
function podAddresses({ status }: Pod): readonly string[] {
  const all = status?.podIPs.map(({ ip }) => ip) ?? [];
  return all.length > 1 ? all : [status?.podIP ?? ''];
}

/** Whether the endpoints controller of Kubernetes would list the pod as ready. */
function isReady({ spec, status }: Pod): boolean {
  if (!status || status.podIP === '' || status.phase === 'Succeeded' || spec.deletionTimestamp) return false;
  return status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
}

/** Containers that run as long as the pod: its own, and init containers that keep running beside them. */
export const runningContainers = ({ spec }: Pod): readonly Container[] => [
  ...spec.containers,
  ...spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always'),
];

/** TCP ports by name; the first of a name counts. */
function namedPorts(pod: Pod): Readonly<Record<string, number>> {
  const ports: Record<string, number> = {};
  for (const { name, containerPort, protocol = 'TCP' } of runningContainers(pod).flatMap((c) => c.ports)) {
    if (name && protocol === 'TCP') ports[name] ??= containerPort;
  }
  return ports;
}

/** The name of what made the pod (its Deployment, CronJob, ...), or its own; a label overrides both. */
function workloadName(pod: Pod): string {
  return pod.labels['service.istio.io/workload-name'] ?? controllerName(pod);
}

function controllerName({ name, labels, spec: { controller, generateName } }: Pod): string {
  if (!controller || !generateName) return name;
  switch (controller.kind) {
    case 'ReplicaSet':
      for (const key of ['pod-template-hash', 'rollouts-pod-template-hash']) {
        const hash = labels[key];
        if (hash && controller.name.endsWith(`-${hash}`)) return controller.name.slice(0, -hash.length - 1);
      }
      return controller.name;
    case 'ReplicationController':
      return labels['deploymentconfig'] || controller.name;
    case 'Job':
      return controller.name.replace(/(.)-\d{8,10}$/, '$1');
    default:
      return controller.name;
  }
}
