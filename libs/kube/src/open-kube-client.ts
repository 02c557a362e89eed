import type { KubeConfig } from '@kubernetes/client-node';
import { existsSync } from 'node:fs';
import { KubeClient } from './kube-client.ts';
import { senderTo } from './send.ts';

/** Where a process finds its API server. */
export type KubeAccess =
  /** The context is the file's current one where none is named. */
  { readonly kind: 'file'; readonly path: string; readonly context?: string } | { readonly kind: 'cluster' };

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** By the file that is named, or else as a pod of the cluster; undefined where there is neither. */
export function kubeAccess(
  kubeconfig: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  exists: (path: string) => boolean = existsSync,
): KubeAccess | undefined {
  if (kubeconfig) return { kind: 'file', path: kubeconfig };
  return environment['KUBERNETES_SERVICE_HOST'] && exists(SERVICE_ACCOUNT_TOKEN) ? { kind: 'cluster' } : undefined;
}

/** Opens a client of a cluster, without asking it anything yet. Rejects where the file can't be read. */
export async function openKubeClient(access: KubeAccess): Promise<KubeClient> {
  // Only here: who needs no Kubernetes should neither wait for it nor hold it in memory.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (access.kind === 'file') {
    config.loadFromFile(access.path);
    if (access.context !== undefined) chooseContext(config, access.context, access.path);
  } else config.loadFromCluster();
  return new KubeClient(senderTo(config));
}

function chooseContext(config: KubeConfig, name: string, path: string): void {
  if (config.getContextObject(name) === null) throw new Error(`context "${name}" does not exist in ${path}`);
  config.setCurrentContext(name);
}
