import type { MeshRead } from '@kedge/config';
import { fact } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';

const inNamespace = fact('inNamespace', (proxy: Proxy, namespace: string) => proxy.configNamespace === namespace);

/** Whether the proxy is of a namespace: asks no more than that, so that proxies of all others are one. */
export const isOfNamespace = (read: MeshRead, namespace: string): boolean => read.fact(inNamespace, namespace);

/** The proxy's namespace where it is among those for which something is different; empty for any other. */
export function namespaceAmong(read: MeshRead, namespaces: Iterable<string>): string {
  for (const namespace of new Set(namespaces)) if (isOfNamespace(read, namespace)) return namespace;
  return '';
}
