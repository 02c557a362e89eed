import { type KubeClient, KubeError, type Secret, secrets } from '@kedge/kube';
import type { CaFiles, CaStore } from '../ca/ca-store.ts';
import { caFileNames, generatedMark } from '../ca/file-names.ts';

const selfSignedSecretName = 'istio-ca-secret';
export const pluggedInSecretName = 'cacerts';

export interface SecretCaStoreOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Whether a new authority goes to the Secret `cacerts`, as if an operator had put it there (USE_CACERTS_FOR_SELF_SIGNED_CA). */
  readonly inCacerts?: boolean;
}

/** Keeps a self-signed authority in a Secret, where Istio has it too: either finds what the other has made. */
export class SecretCaStore implements CaStore {
  readonly #options: SecretCaStoreOptions;
  /** As it was loaded: others may have changed it meanwhile. */
  #loaded: Secret | undefined;

  constructor(options: SecretCaStoreOptions) {
    this.#options = options;
  }

  async load(): Promise<CaFiles | undefined> {
    const { inCacerts = false } = this.#options;
    this.#loaded =
      (await this.#get(selfSignedSecretName)) ?? (inCacerts ? await this.#get(pluggedInSecretName) : undefined);
    return this.#loaded && filesOf(this.#loaded);
  }

  async create(files: CaFiles): Promise<boolean> {
    const { client, namespace, inCacerts = false } = this.#options;
    const name = inCacerts ? pluggedInSecretName : selfSignedSecretName;
    // Istio's has these two as well, and leaves them empty.
    const unused: CaFiles = { [caFileNames.chain]: '', 'key.pem': '' };
    const mark: CaFiles = inCacerts ? { [generatedMark]: '' } : {};
    try {
      this.#loaded = await client.create(secrets, {
        metadata: { name, namespace },
        type: 'istio.io/ca-root',
        data: encoded({ ...unused, ...mark, ...files }),
      });
      return true;
    } catch (error) {
      if (error instanceof KubeError && error.reason === 'AlreadyExists') return false;
      throw error;
    }
  }

  /** Rejects where the Secret is another than the one that was loaded: of two that renew a root, one is second. */
  async replace(files: CaFiles): Promise<void> {
    const loaded = this.#loaded;
    if (!loaded) throw new Error('there is no Secret to replace');
    this.#loaded = await this.#options.client.update(secrets, {
      ...loaded,
      data: { ...loaded.data, ...encoded(files) },
    });
  }

  #get(name: string): Promise<Secret | undefined> {
    const { client, namespace } = this.#options;
    return client.get(secrets, { namespace, name });
  }
}

/** The values of a Secret as texts. */
export function filesOf({ data = {} }: Secret): CaFiles {
  return mapValues(data, (value) => Buffer.from(value, 'base64').toString());
}

const encoded = (files: CaFiles): CaFiles => mapValues(files, (text) => Buffer.from(text).toString('base64'));

const mapValues = (values: CaFiles, change: (value: string) => string): CaFiles =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
