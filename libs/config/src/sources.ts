import { fact, index, type Index, type Read, source, type Source } from '@kedge/incremental';
import {
  canonicalHost,
  type Config,
  type ConfigKind,
  type ConfigOf,
  type Features,
  kinds,
  type KubernetesKind,
  kubernetesKinds,
  type KubernetesOf,
  type Labels,
  type MeshConfig,
  type MeshNetworks,
  type Proxy,
  SLICE_SERVICE_LABEL,
} from '@kedge/model';
import { deepEqual } from './equal.ts';

/** How queries over the mesh read: configuration and registries from the snapshot, facts from the proxy. */
export type MeshRead = Read<Proxy>;

/** The value type of every kind of object, Istio's and Kubernetes's. */
export type ObjectMap = { readonly [K in ConfigKind]: ConfigOf<K> } & {
  readonly [K in KubernetesKind]: KubernetesOf<K>;
};

/** Every kind of object that can be an input. */
export type ObjectKind = ConfigKind | KubernetesKind;

export type ObjectOf<K extends ObjectKind> = ObjectMap[K];

/** The one key of sources that hold a single value, and the one group of indexes that pick out some. */
export const SINGLE = '';

/** The key of an object in its source. Cluster-scoped objects have an empty namespace. */
export const objectKey = (namespace: string, name: string): string => `${namespace}/${name}`;

/** Whether two states of an object read the same to everything that is generated from it. */
function sameInput(a: Config, b: Config): boolean {
  return (
    a.creationTimestamp === b.creationTimestamp &&
    deepEqual(a.labels, b.labels) &&
    deepEqual(a.annotations, b.annotations) &&
    deepEqual(a.spec, b.spec)
  );
}

/** Kinds of Kubernetes carry only such status as is an input; see `statusSchema` of their table. */
const sameInputWithStatus = (a: Config, b: Config): boolean => sameInput(a, b) && deepEqual(a.status, b.status);

/** The fields of the status of Istio's kinds that are inputs: allocated addresses, and health of workloads. */
const statusInputs: Readonly<Record<string, string>> = { ServiceEntry: 'addresses', WorkloadEntry: 'conditions' };

function sameIstioInput(a: Config, b: Config): boolean {
  const field = statusInputs[a.kind];
  return sameInput(a, b) && (field === undefined || deepEqual(a.status?.[field], b.status?.[field]));
}

function sourcesOf<K extends ObjectKind>(
  names: readonly K[],
  prefix: string,
  equals: (a: Config, b: Config) => boolean,
): { readonly [Kind in K]: Source<ObjectOf<Kind>> } {
  return Object.fromEntries(names.map((kind) => [kind, source<Config>(prefix + kind, equals)])) as unknown as {
    readonly [Kind in K]: Source<ObjectOf<Kind>>;
  };
}

/** A source for each kind of Istio's API, keyed by {@link objectKey}. */
export const istioSources = sourcesOf(Object.keys(kinds) as ConfigKind[], '', sameIstioInput);

/** Group of objects in a namespace that have a label, or whose selector begins with it. */
const labelGroup = (namespace: string, label?: readonly [string, string]): string =>
  label ? `${namespace}/${label[0]}=${label[1]}` : `${namespace}/`;

/**
 * The groups in which an object with labels is found by {@link selectorGroup}, whatever the selector. Only objects that
 * share a label with the selector are looked at then, and only their changes matter.
 */
export function labelGroups(namespace: string, labels: Labels): readonly string[] {
  return [labelGroup(namespace), ...Object.entries(labels).map((label) => labelGroup(namespace, label))];
}

/** The one group that a selector is filed under and that holds all that it selects: of its first label by name. */
export function selectorGroup(namespace: string, selector: Labels): string {
  const first = Object.keys(selector).sort()[0];
  return labelGroup(namespace, first === undefined ? undefined : [first, selector[first] ?? '']);
}

/** The objects of Kubernetes that one cluster has, with the look-ups that registries need. */
export interface KubernetesSources {
  readonly sources: { readonly [K in KubernetesKind]: Source<ObjectOf<K>> };
  readonly servicesByNamespace: Index<ObjectOf<'Service'>>;
  /** Services that are labelled as the gateway of a network, all under {@link SINGLE}. */
  readonly networkGatewayServices: Index<ObjectOf<'Service'>>;
  /** By {@link selectorGroup}; services without a selector are in none. */
  readonly servicesBySelector: Index<ObjectOf<'Service'>>;
  /** By {@link objectKey} of the service that the slice belongs to. */
  readonly slicesByService: Index<ObjectOf<'EndpointSlice'>>;
  /** By {@link objectKey} of namespace and each address in it. */
  readonly slicesByAddress: Index<ObjectOf<'EndpointSlice'>>;
  /** By {@link labelGroups}. */
  readonly podsByLabel: Index<ObjectOf<'Pod'>>;
  readonly podsByIp: Index<ObjectOf<'Pod'>>;
}

/**
 * Sources for the objects of one cluster. The cluster that the control plane runs in has {@link localKubernetes}; every
 * other one gets a set of its own, told apart by the prefix.
 */
export function kubernetesSources(prefix = ''): KubernetesSources {
  const sources = sourcesOf(Object.keys(kubernetesKinds) as KubernetesKind[], prefix, sameInputWithStatus);
  return {
    sources,
    servicesByNamespace: index(sources.Service, 'namespace', ({ namespace }) => [namespace]),
    networkGatewayServices: index(sources.Service, 'network', ({ labels }) =>
      labels['topology.istio.io/network'] ? [SINGLE] : [],
    ),
    servicesBySelector: index(sources.Service, 'selector', ({ namespace, spec }) =>
      Object.keys(spec.selector).length > 0 ? [selectorGroup(namespace, spec.selector)] : [],
    ),
    slicesByService: index(sources.EndpointSlice, 'service', ({ namespace, labels }) => {
      const service = labels[SLICE_SERVICE_LABEL];
      return service ? [objectKey(namespace, service)] : [];
    }),
    slicesByAddress: index(sources.EndpointSlice, 'address', ({ namespace, spec }) =>
      spec.endpoints.flatMap(({ addresses }) => addresses.map((address) => objectKey(namespace, address))),
    ),
    podsByLabel: index(sources.Pod, 'label', ({ namespace, labels }) => labelGroups(namespace, labels)),
    podsByIp: index(sources.Pod, 'ip', ({ status }) => podIps(status)),
  };
}

function podIps(status: ObjectOf<'Pod'>['status']): readonly string[] {
  if (!status) return [];
  return [...new Set([status.podIP, ...status.podIPs.map(({ ip }) => ip)].filter(Boolean))];
}

export const localKubernetes = kubernetesSources();

/** The source of every kind. */
export const configSources: { readonly [K in ObjectKind]: Source<ObjectOf<K>> } = {
  ...istioSources,
  ...localKubernetes.sources,
};

/** Look-ups by namespace, for every kind of Istio's API. */
export const byNamespace = Object.fromEntries(
  Object.entries(istioSources as unknown as Readonly<Record<string, Source<Config>>>).map(([kind, of]) => [
    kind,
    index(of, 'namespace', ({ namespace }) => [namespace]),
  ]),
) as unknown as { readonly [K in ConfigKind]: Index<ObjectOf<K>> };

/** ServiceEntries by each of their hosts, in canonical form. */
export const serviceEntriesByHost = index(istioSources.ServiceEntry, 'host', ({ spec }) =>
  spec.hosts.map(canonicalHost),
);

/** ServiceEntries by {@link selectorGroup}; those without a selector are in none. */
export const serviceEntriesBySelector = index(istioSources.ServiceEntry, 'selector', ({ namespace, spec }) =>
  spec.workloadSelector ? [selectorGroup(namespace, spec.workloadSelector.labels)] : [],
);

/** ServiceEntries by the address of each endpoint that they list. */
export const serviceEntriesByEndpoint = index(istioSources.ServiceEntry, 'endpoint', ({ spec }) =>
  spec.endpoints.flatMap(({ address }) => (address ? [address] : [])),
);

export const workloadEntriesByAddress = index(istioSources.WorkloadEntry, 'address', ({ spec }) =>
  spec.address ? [spec.address] : [],
);

/** The labels of a WorkloadEntry's workload: those of its spec, over them those of the object. */
export const workloadEntryLabels = ({ labels, spec }: ObjectOf<'WorkloadEntry'>): Labels => ({
  ...spec.labels,
  ...labels,
});

/** WorkloadEntries by {@link labelGroups}. */
export const workloadEntriesByLabel = index(istioSources.WorkloadEntry, 'label', (entry) =>
  labelGroups(entry.namespace, workloadEntryLabels(entry)),
);

/** The mesh configuration in effect, defaults filled in. */
export const meshConfigSource = source<MeshConfig>('MeshConfig', deepEqual);
export const meshNetworksSource = source<MeshNetworks>('MeshNetworks', deepEqual);
export const featuresSource = source<Features>('Features', deepEqual);

/** What is fixed while the control plane runs. */
export interface Environment {
  /** The DNS suffix of the cluster's services. */
  readonly domainSuffix: string;
  /** The namespace that the control plane itself is in. */
  readonly systemNamespace: string;
}

export const environmentSource = source<Environment>('Environment', deepEqual);

/** Facts of a proxy that more than one layer asks for. */
export const proxyNamespace = fact('namespace', (proxy: Proxy) => proxy.configNamespace);
export const proxyCluster = fact('cluster', (proxy: Proxy) => proxy.metadata.clusterId);
