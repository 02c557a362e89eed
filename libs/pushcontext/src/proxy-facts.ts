import { type MeshRead, proxyCluster, proxyNamespace } from '@kedge/config';
import { fact } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';

/* The facts of a proxy that configuration may depend on, one question each. */

export const nodeType = fact('nodeType', (proxy: Proxy) => proxy.type);
export const configNamespace = proxyNamespace;
export const proxyId = fact('proxyId', (proxy: Proxy) => proxy.id);
export const dnsDomain = fact('dnsDomain', (proxy: Proxy) => proxy.dnsDomain);
export const clusterId = proxyCluster;
export const network = fact('network', (proxy: Proxy) => proxy.metadata.network);
export const istioVersion = fact('istioVersion', (proxy: Proxy) => proxy.metadata.istioVersion);
export const interceptionMode = fact('interceptionMode', (proxy: Proxy) => proxy.metadata.interceptionMode);
/** The n-th address; undefined past the last. */
export const ipAddress = fact('ipAddress', (proxy: Proxy, position: number) => proxy.ipAddresses[position]);
export const ipAddressCount = fact('ipAddressCount', (proxy: Proxy) => proxy.ipAddresses.length);
/** Whether the Envoy can load an extension; one that lists none is taken as Istio's own. */
export const hasExtension = fact(
  'hasExtension',
  (proxy: Proxy, name: string) => proxy.extensions.size === 0 || proxy.extensions.has(name),
);
/** The same for the message, by its full name, that configures it. */
export const hasExtensionType = fact(
  'hasExtensionType',
  (proxy: Proxy, type: string) => proxy.extensionTypes.size === 0 || proxy.extensionTypes.has(type),
);
/** Whether the Envoy says which extensions it has, as all that run do. */
export const listsExtensions = fact('listsExtensions', (proxy: Proxy) => proxy.extensions.size > 0);
/** One field of the node metadata as text or number; structured fields have facts of their own. */
export const metadataText = fact('metadataText', (proxy: Proxy, field: MetadataField) => proxy.metadata[field]);

/** Fields of the metadata that are plain values. */
export type MetadataField =
  | 'name'
  | 'serviceAccount'
  | 'meshId'
  | 'workloadName'
  | 'owner'
  | 'nodeName'
  | 'routerMode'
  | 'idleTimeout'
  | 'httpProxyPort'
  | 'envoyStatusPort'
  | 'envoyPrometheusPort'
  | 'dnsCapture'
  | 'dnsAutoAllocate'
  | 'enableHbone'
  | 'disableHboneSend'
  | 'http10'
  | 'unprivilegedPod'
  | 'tlsServerCertChain'
  | 'tlsServerKey'
  | 'tlsServerRootCert'
  | 'tlsClientCertChain'
  | 'tlsClientKey'
  | 'tlsClientRootCert';

/** Any other field of the raw metadata, as JSON text, for patches that match on it; undefined where it is absent. */
export const rawMetadata = fact('rawMetadata', (proxy: Proxy, key: string) => {
  const value = proxy.metadata.raw[key];
  return value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
});

/** All addresses of the proxy, the primary one first. */
export function ipAddresses(read: MeshRead): readonly string[] {
  return Array.from({ length: read.fact(ipAddressCount) }, (_, position) => read.fact(ipAddress, position) ?? '');
}
