import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serverUrl, type ServiceAddress } from '../kubernetes/api-access.ts';
import { removeUnfinished, writeAtomically } from './files.ts';

export interface KubeconfigOptions {
  readonly file: string;
  readonly mode: number;
  readonly serviceAccountDir: string;
  /** The authority of the API server, if not the service account's. */
  readonly caFile: string;
  readonly skipTlsVerify: boolean;
  readonly address: ServiceAddress;
}

/**
 * Writes the plugin's kubeconfig, with the token as it is now. It is JSON, which is YAML too.
 *
 * @returns whether it had to be written
 */
export async function installKubeconfig(options: KubeconfigOptions): Promise<boolean> {
  const { file, mode } = options;
  const content = `${JSON.stringify(await kubeconfig(options), undefined, 2)}\n`;
  if ((await readFile(file, 'utf8').catch(() => undefined)) === content) return false;
  await removeUnfinished(dirname(file));
  await writeAtomically(file, content, mode);
  return true;
}

export async function removeKubeconfig({ file }: KubeconfigOptions): Promise<void> {
  await rm(file, { force: true });
}

async function kubeconfig({ serviceAccountDir, caFile, skipTlsVerify, address }: KubeconfigOptions) {
  if (!address.host || !address.port) {
    throw new Error('KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is missing: is this no pod?');
  }
  const token = (await readFile(join(serviceAccountDir, 'token'), 'utf8')).trim();
  if (token === '') throw new Error(`the token in ${serviceAccountDir} is empty`);
  const authority = skipTlsVerify ? undefined : await readFile(caFile || join(serviceAccountDir, 'ca.crt'));
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'local',
        cluster: {
          server: serverUrl(address),
          ...(authority
            ? { 'certificate-authority-data': authority.toString('base64') }
            : { 'insecure-skip-tls-verify': true }),
        },
      },
    ],
    users: [{ name: 'istio-cni', user: { token } }],
    contexts: [{ name: 'istio-cni-context', context: { cluster: 'local', user: 'istio-cni' } }],
    'current-context': 'istio-cni-context',
  };
}
