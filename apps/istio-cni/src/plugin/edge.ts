import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run } from '@kedge/netfilter';
import { commandRunner } from '@kedge/redirection';
import { readKubeconfig } from '../kubernetes/api-access.ts';
import { ApiClient } from '../kubernetes/api-client.ts';
import { asPod, type Pod } from '../kubernetes/pod.ts';

export const kubeconfigName = 'istio-cni-kubeconfig';

/** What the plugin touches. */
export interface PluginEdge {
  /**
   * A pod, from the API server.
   *
   * @throws Error; with the code ENOENT if there is no kubeconfig
   */
  readonly readPod: (namespace: string, name: string, runDir: string, signal: AbortSignal) => Promise<Pod>;
  /** Runs programs in a network namespace. */
  readonly runIn: (networkNamespace: string) => Run;
  readonly exists: (path: string) => Promise<boolean>;
  /** Ends early, without an error, when the signal comes. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export const realEdge: PluginEdge = {
  readPod: async (namespace, name, runDir, signal) => {
    // Read for each request: the agent may just be renewing it.
    const client = new ApiClient(() => readKubeconfig(join(runDir, kubeconfigName)));
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
    return asPod(await client.json({ method: 'GET', path, signal }));
  },
  runIn: commandRunner,
  exists: (path) =>
    access(path, constants.F_OK).then(
      () => true,
      () => false,
    ),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
};
