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

/** The objects of Kubernetes that one cluster has, with the look-ups that registries need. */
export interface KubernetesSources {
  readonly sources: { readonly [K in KubernetesKind]: Source<ObjectOf<K>> };
  readonly servicesByNamespace: Index<ObjectOf<'Service'>>;
  /** By {@link objectKey} of the service that the slice belongs to. */
  readonly slicesByService: Index<ObjectOf<'EndpointSlice'>>;
  /** By each address in it, prefixed with the namespace: `shop/10.1.0.5`. */
  readonly slicesByAddress: Index<ObjectOf<'EndpointSlice'>>;
  readonly podsByNamespace: Index<ObjectOf<'Pod'>>;
  readonly podsByIp: Index<ObjectOf<'Pod'>>;
}

/**
 * Sources for the objects of one cluster. The cluster that istiod runs in has {@link localKubernetes}; every other one
 * gets a set of its own, told apart by the prefix.
 */
export function kubernetesSources(prefix = ''): KubernetesSources {
  const sources = sourcesOf(Object.keys(kubernetesKinds) as KubernetesKind[], prefix, sameInputWithStatus);
  return {
    sources,
    servicesByNamespace: index(sources.Service, 'namespace', (service) => [service.namespace]),
    slicesByService: index(sources.EndpointSlice, 'service', ({ namespace, labels }) => {
      const service = labels[SLICE_SERVICE_LABEL];
      return service ? [objectKey(namespace, service)] : [];
    }),
    slicesByAddress: index(sources.EndpointSlice, 'address', ({ namespace, spec }) =>
      spec.endpoints.flatMap(({ addresses }) => addresses.map((address) => objectKey(namespace, address))),
    ),
    podsByNamespace: index(sources.Pod, 'namespace', (pod) => [pod.namespace]),
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

/** WorkloadEntries by their address. */
export const workloadEntriesByAddress = index(istioSources.WorkloadEntry, 'address', ({ spec }) =>
  spec.address ? [spec.address] : [],
);

/** The one key of sources that hold a single value. */
export const SINGLE = '';

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
