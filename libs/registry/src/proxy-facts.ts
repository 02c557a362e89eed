import { fact } from '@kedge/incremental';
import { isJsonObject, labelsMatch, type Proxy } from '@kedge/model';

export const proxyAddress = fact('proxy.address', (proxy: Proxy) => proxy.ipAddresses[0] ?? '');
/** All addresses, separated by commas. */
export const proxyAddresses = fact('proxy.addresses', (proxy: Proxy) => proxy.ipAddresses.join(','));
export const proxyMetadataNamespace = fact('proxy.metadataNamespace', (proxy: Proxy) => proxy.metadata.namespace);
export const proxyNodeName = fact('proxy.nodeName', (proxy: Proxy) => proxy.metadata.nodeName);
export const proxyHasLabels = fact('proxy.hasLabels', (proxy: Proxy) => Object.keys(proxy.metadata.labels).length > 0);
/** Whether the labels that the proxy states have every pair of a selector, given by {@link selectorText}. */
export const proxySelectedBy = fact('proxy.selectedBy', (proxy: Proxy, selector: string) =>
  labelsMatch(JSON.parse(selector) as Record<string, string>, proxy.metadata.labels),
);
/** One text for each selector, whatever the order of its labels. */
export const selectorText = (selector: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(selector).sort(([a], [b]) => (a < b ? -1 : 1))));

/** The key of the pod that a proxy is in, empty where its id doesn't tell. */
export const proxyPod = fact('proxy.pod', (proxy: Proxy) => {
  const dot = proxy.id.indexOf('.');
  const namespace = proxy.id.slice(dot + 1);
  return dot > 0 && namespace === proxy.metadata.namespace ? `${namespace}/${proxy.id.slice(0, dot)}` : '';
});

/** The key of the WorkloadEntry that a proxy's id names, empty where it doesn't tell. */
export const proxyConfiguredPod = fact('proxy.configuredPod', (proxy: Proxy) => {
  const [name, namespace, ...rest] = proxy.id.split('.');
  return name && namespace === proxy.configNamespace && rest.length === 0 ? `${namespace}/${name}` : '';
});

/** The ports of the pod that a proxy states: a JSON text of a list of `{name, containerPort, protocol}`. */
function podPorts({ metadata }: Proxy): readonly Readonly<Record<string, unknown>>[] {
  const stated = metadata.raw['POD_PORTS'];
  try {
    const list: unknown = typeof stated === 'string' ? JSON.parse(stated) : stated;
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  } catch {
    return [];
  }
}

export const proxyHasPodPorts = fact('proxy.hasPodPorts', (proxy: Proxy) => podPorts(proxy).length > 0);
/** The number of a named port that the proxy states. */
export const proxyPodPort = fact('proxy.podPort', (proxy: Proxy, name: string, protocol: string) => {
  const port = podPorts(proxy).find((candidate) => candidate.name === name && candidate.protocol === protocol);
  return typeof port?.containerPort === 'number' ? port.containerPort : undefined;
});
