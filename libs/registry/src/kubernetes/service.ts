import { deepEqual, type MeshRead, objectKey, type ObjectOf } from '@kedge/config';
import { query } from '@kedge/incremental';
import {
  canonicalHost,
  type Hostname,
  isJsonObject,
  type KubernetesAttributes,
  labelsMatch,
  parseVisibility,
  type Resolution,
  selectProtocol,
  type Service,
  type ServicePort,
  UNSPECIFIED_ADDRESS,
} from '@kedge/model';
import { defaultServiceExportTo, domainSuffix, namespaceAnnotations, trustDomain } from '../mesh.ts';
import type { MeshQuery } from '../service-registry.ts';
import { spiffeId } from '../spiffe.ts';
import { trafficDistribution } from '../traffic-distribution.ts';
import type { ClusterContext } from './context.ts';

type KubernetesService = ObjectOf<'Service'>;

const serviceHostname = (name: string, namespace: string, suffix: string): Hostname =>
  `${name}.${namespace}.svc.${suffix}`.toLowerCase();

/** The key of the service that a host stands for, if it has the form `name.namespace.svc.SUFFIX`. */
export function keyOfHostname(host: Hostname, suffix: string): string | undefined {
  const end = `.svc.${suffix}`.toLowerCase();
  if (!host.endsWith(end)) return undefined;
  const [name, namespace, ...rest] = host.slice(0, -end.length).split('.');
  return name && namespace && rest.length === 0 ? objectKey(namespace, name) : undefined;
}

/** Makes the query for the service of an object, by its key. */
export function serviceQuery(context: ClusterContext): MeshQuery<[key: string], Service | undefined> {
  const nodeAddresses = nodeAddressesQuery(context);
  return query(
    'kubernetesService',
    (read: MeshRead, key: string) => {
      const object = read.get(context.objects.sources.Service, key);
      if (!object || !read(context.isDiscoverable, object.namespace)) return undefined;
      return convert(read, object, context.cluster, nodeAddresses);
    },
    deepEqual,
  );
}

function convert(
  read: MeshRead,
  object: KubernetesService,
  cluster: string,
  nodeAddresses: MeshQuery<[selector: string], readonly string[]>,
): Service {
  const { name, namespace, labels, annotations, creationTimestamp, spec } = object;
  const addresses = clusterAddresses(spec);
  const isExternalName = spec.type === 'ExternalName' && !!spec.externalName;
  return {
    hostname: serviceHostname(name, namespace, read(domainSuffix)),
    namespace,
    name,
    provider: 'Kubernetes',
    clusters: [cluster],
    creationTimestamp,
    ports: spec.ports.map(servicePort),
    addresses: addresses.length > 0 ? { [cluster]: addresses } : {},
    defaultAddress: addresses[0] ?? UNSPECIFIED_ADDRESS,
    autoAllocated: [],
    resolution: resolutionOf(spec),
    meshExternal: isExternalName,
    exportTo: parseVisibility(
      listOf(annotations['networking.istio.io/exportTo']),
      namespace,
      parseVisibility(read(defaultServiceExportTo), namespace, '*'),
    ),
    labels,
    ...(Object.keys(spec.selector).length > 0 && { selector: spec.selector }),
    trafficDistribution: trafficDistribution(
      spec.trafficDistribution,
      annotations,
      read(namespaceAnnotations, namespace),
    ),
    subjectAltNames: [
      ...listOf(annotations['alpha.istio.io/canonical-serviceaccounts']),
      ...listOf(annotations['alpha.istio.io/kubernetes-serviceaccounts']).map((account) =>
        spiffeId(read(trustDomain), namespace, account),
      ),
    ],
    kubernetes: attributesOf(read, object, cluster, nodeAddresses),
  };
}

const listOf = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

function clusterAddresses({ clusterIP = '', clusterIPs }: KubernetesService['spec']): readonly string[] {
  if (clusterIP === '' || clusterIP === 'None') return [];
  return clusterIPs.length > 1 ? clusterIPs : [clusterIP];
}

function resolutionOf({ type, externalName, clusterIP }: KubernetesService['spec']): Resolution {
  if (clusterIP === 'None') return 'passthrough';
  return type === 'ExternalName' && externalName ? 'alias' : 'client-side-lb';
}

function servicePort(port: KubernetesService['spec']['ports'][number]): ServicePort {
  const { name, port: number, protocol, appProtocol, targetPort } = port;
  return {
    name,
    port: number,
    protocol: selectProtocol({ name, port: number, transport: protocol, appProtocol }),
    ...(typeof targetPort === 'number' && targetPort > 0 && { targetPort }),
  };
}

/** Annotation that makes a NodePort service a gateway, reached at the nodes with these labels. */
const NODE_SELECTOR = 'traffic.istio.io/nodeSelector';

function attributesOf(
  read: MeshRead,
  { spec, status, annotations }: KubernetesService,
  cluster: string,
  nodeAddresses: MeshQuery<[selector: string], readonly string[]>,
): KubernetesAttributes {
  const nodeSelector = spec.type === 'NodePort' ? annotations[NODE_SELECTOR] : undefined;
  const balancers = spec.type === 'LoadBalancer' ? (status?.loadBalancer.ingress ?? []) : [];
  const external = [
    ...balancers.map(({ ip, hostname }) => ip || hostname || ''),
    ...spec.externalIPs,
    ...(nodeSelector === undefined ? [] : read(nodeAddresses, nodeSelector)),
  ].filter(Boolean);
  const nodePorts = Object.fromEntries(spec.ports.map(({ port, nodePort = 0 }) => [port, nodePort]));
  return {
    type: serviceType(spec.type),
    ...(spec.type === 'ExternalName' && spec.externalName && { externalName: canonicalHost(spec.externalName) }),
    nodeLocal: spec.internalTrafficPolicy === 'Local',
    publishNotReadyAddresses: spec.publishNotReadyAddresses ?? false,
    externalAddresses: external.length > 0 ? { [cluster]: external } : {},
    externalPorts: nodeSelector === undefined ? {} : { [cluster]: nodePorts },
  };
}

function serviceType(type: string | undefined): KubernetesAttributes['type'] {
  return type === 'NodePort' || type === 'LoadBalancer' || type === 'ExternalName' ? type : 'ClusterIP';
}

/** External addresses of the nodes that a selector (JSON of labels) chooses; all nodes where it cannot be read. */
function nodeAddressesQuery({ objects }: ClusterContext): MeshQuery<[selector: string], readonly string[]> {
  return query(
    'nodeAddresses',
    (read: MeshRead, selector: string): readonly string[] => {
      const labels = parseLabels(selector);
      return read
        .all(objects.sources.Node)
        .filter((node) => labelsMatch(labels, node.labels))
        .flatMap(({ status }) => status?.addresses.find((a) => a.type === 'ExternalIP' && a.address)?.address ?? []);
    },
    deepEqual,
  );
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? (value as Readonly<Record<string, string>>) : {};
  } catch {
    return {};
  }
}
