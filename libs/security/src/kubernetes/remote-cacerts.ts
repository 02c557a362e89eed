import { type KubeClient, secrets } from '@kedge/kube';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CaFiles } from '../ca/ca-store.ts';
import { type ReadText, readTextFile, type Watch } from '../ca/plugged-in.ts';
import { filesOf, pluggedInSecretName } from './secret-ca-store.ts';

/** How often the Secret is looked at. */
const POLL_MS = 60_000;

/** An operator's authority: how it is read, and how it is followed. */
export interface PluggedInPlace {
  readonly read: ReadText;
  readonly watch: Watch;
}

/** The Secret `cacerts` in the place of a folder that it isn't mounted to; undefined where there is no such Secret. */
export async function remoteCacerts(client: KubeClient, namespace: string): Promise<PluggedInPlace | undefined> {
  const load = async (): Promise<CaFiles | undefined> => {
    const secret = await client.get(secrets, { namespace, name: pluggedInSecretName });
    return secret && filesOf(secret);
  };
  let files = await load();
  if (!files) return undefined;
  return {
    read: async (path) => (await readTextFile(path)) ?? files?.[basename(path)],
    watch: (_, onChange) => {
      const look = async (): Promise<void> => {
        // While the API server is away the authority stays as it is.
        const now = await load().catch(() => files);
        if (isDeepStrictEqual(now, files)) return;
        files = now;
        onChange();
      };
      const timer = setInterval(() => void look(), POLL_MS);
      return { [Symbol.dispose]: () => clearInterval(timer) };
    },
  };
}
