import type { KubeClient } from '@kedge/kube';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { GlobalFlags } from './global-flags.ts';
import type { Io } from './io.ts';

/** A client of the cluster that the flags, KUBECONFIG or the user's own configuration name. Rejects where there is none. */
export async function openCluster(io: Io, { kubeconfig, context }: GlobalFlags): Promise<KubeClient> {
  const { openKubeClient } = await import('@kedge/kube');
  const named = kubeconfig ?? io.environment.KUBECONFIG?.split(':').find((path) => existsSync(path));
  const path = resolve(io.directory, named ?? join(io.environment.HOME ?? homedir(), '.kube/config'));
  if (!existsSync(path)) throw new Error(`there is no configuration of a cluster at ${path}`);
  return openKubeClient({ kind: 'file', path, ...(context !== undefined && { context }) });
}
