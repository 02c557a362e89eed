import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readIfThere } from '../pod-info.ts';
import type { BlockedAddresses } from './blocked-addresses.ts';
import { fetchHttpModule } from './http-module.ts';
import type { Fetch, ModuleRequest } from './module-cache.ts';
import { findOciImage } from './oci-module.ts';
import { RegistryClient } from './registry-client.ts';
import { credentialsFor } from './registry-credentials.ts';

export interface FetchSettings {
  /** Hosts, with their ports, whose certificates aren't verified; `*` is all of them. */
  readonly insecureHosts: ReadonlySet<string>;
  /** How often a module is tried by HTTP, and for how long each time. */
  readonly attempts: number;
  readonly requestTimeoutMs: number;
  readonly maxBytes: number;
  readonly blocked: BlockedAddresses;
  /** The folder of the Docker configuration for images without a pull secret; empty for that of the user. */
  readonly dockerConfig: string;
}

const firstDelayMs = 500;

/** Fetches modules by HTTP, and out of images. */
export function moduleFetcher(settings: FetchSettings): Fetch {
  const { insecureHosts, attempts, requestTimeoutMs, maxBytes, blocked } = settings;
  return async (location, request) => {
    const host = location.kind === 'http' ? new URL(location.url).host : location.registry;
    const insecure = insecureHosts.has('*') || insecureHosts.has(host);
    const common = { signal: AbortSignal.timeout(request.timeoutMs), insecure, maxBytes, blocked };
    if (location.kind === 'http') {
      const module = await fetchHttpModule(location.url, { ...common, attempts, requestTimeoutMs, firstDelayMs });
      return { checksum: createHash('sha256').update(module).digest('hex'), download: async () => module };
    }
    const { registry, repository, reference } = location;
    const config = await dockerConfig(request, settings);
    const credentials = config === undefined ? {} : credentialsFor(registry, config);
    const client = new RegistryClient({ ...common, registry, repository, credentials });
    const { digest, module } = await findOciImage(client, reference, maxBytes);
    return { checksum: digest, download: module };
  };
}

async function dockerConfig({ pullSecret }: ModuleRequest, settings: FetchSettings): Promise<string | undefined> {
  return pullSecret ?? readIfThere(join(settings.dockerConfig || join(homedir(), '.docker'), 'config.json'));
}
