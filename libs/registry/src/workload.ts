import { type Endpoint, type Labels, parseLocality, type TlsMode } from '@kedge/model';
import { NETWORK_LABEL } from './network.ts';

/** Something that selectors choose: a pod or a WorkloadEntry, as the endpoint that it makes once a port is known. */
export interface Workload {
  readonly endpoint: Omit<Endpoint, 'port' | 'portName'>;
  /** Numbers of its ports by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Whether the control plane of Kubernetes counts it among the ready ones. */
  readonly ready: boolean;
}

/** The locality that a label states, with `/` or, as Kubernetes wants it, `.` between the parts; empty without a label. */
export function labelledLocality(labels: Labels): string {
  const label = labels['topology.istio.io/locality'] ?? labels['istio-locality'] ?? '';
  return label.includes('/') ? label : label.replaceAll('.', '/');
}

export const labelledTlsMode = (labels: Labels): TlsMode =>
  labels['security.istio.io/tlsMode'] === 'istio' ? 'istio' : 'disabled';

/** Where a workload runs, for subsets and failover rules that select by it. */
export interface Topology {
  readonly cluster: string;
  readonly locality: string;
  readonly nodeName: string;
  readonly network: string;
}

/** A workload's labels with those that follow from where it runs. */
export function withTopology(labels: Labels, { cluster, locality, nodeName, network }: Topology): Labels {
  const { region, zone, subzone } = parseLocality(locality);
  return {
    ...labels,
    ...(region && { 'topology.kubernetes.io/region': region }),
    ...(zone && { 'topology.kubernetes.io/zone': zone }),
    ...(subzone && { 'topology.istio.io/subzone': subzone }),
    ...(cluster && { 'topology.istio.io/cluster': cluster }),
    ...(nodeName && { 'kubernetes.io/hostname': nodeName }),
    ...(network && !labels[NETWORK_LABEL] && { [NETWORK_LABEL]: network }),
  };
}
