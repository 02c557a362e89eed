import { fact } from '@kedge/incremental';
import { labelsMatch, type Proxy } from '@kedge/model';

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
