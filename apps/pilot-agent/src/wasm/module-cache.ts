import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@kedge/observability';
import { isWasm } from './is-wasm.ts';
import type { WasmMetrics } from './metrics.ts';
import { type ModuleLocation, moduleName, parseLocation, pinnedDigest } from './module-location.ts';

/** When a module is looked for again though one is there. */
export type PullPolicy = 'UNSPECIFIED_POLICY' | 'IfNotPresent' | 'Always';

export interface ModuleRequest {
  readonly url: string;
  /** SHA-256 in hexadecimal: of the module, or of an image's manifest. Empty: any. */
  readonly checksum: string;
  /** The resource that asks, and its version, which tells one change of it from the next. */
  readonly resource: string;
  readonly version: string;
  readonly policy: PullPolicy;
  readonly timeoutMs: number;
  readonly pullSecret?: string;
}

/** What is known of a module before it is downloaded. */
export interface RemoteModule {
  readonly checksum: string;
  readonly download: () => Promise<Buffer>;
}

/** Looks modules up where they are. */
export type Fetch = (location: ModuleLocation, request: ModuleRequest) => Promise<RemoteModule>;

export interface ModuleCacheOptions {
  readonly dir: string;
  readonly fetch: Fetch;
  /** How long a module stays that nobody asks for. */
  readonly expiryMs: number;
  readonly purgeIntervalMs: number;
  readonly metrics: WasmMetrics;
  readonly log: Logger;
  readonly now?: () => number;
}

interface Module {
  readonly path: string;
  usedAt: number;
}

/** The checksum that a URL had last, and the versions of the resources that it was looked up for. */
interface Seen {
  checksum: string;
  readonly versions: Map<string, string>;
}

/** Modules in files, each once by its content. */
export class ModuleCache implements Disposable {
  readonly #options: ModuleCacheOptions;
  readonly #modules = new Map<string, Module>();
  readonly #seen = new Map<string, Seen>();
  readonly #pending = new Map<string, Promise<string>>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ModuleCacheOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.purge(), options.purgeIntervalMs);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /**
   * The file of a module, downloaded where it isn't there. Those who ask for the same at once share one download.
   * @throws Error telling why there is none.
   */
  get(request: ModuleRequest): Promise<string> {
    const { url, checksum, resource, version, pullSecret = '' } = request;
    const key = JSON.stringify([url, checksum, resource, version, pullSecret]);
    const running = this.#pending.get(key);
    if (running) return running;
    const result = this.#find(request).finally(() => this.#pending.delete(key));
    this.#pending.set(key, result);
    return result;
  }

  /** Removes what nobody has asked for in a long time. */
  async purge(): Promise<void> {
    const { expiryMs, metrics, log } = this.#options;
    for (const [key, module] of this.#modules) {
      if (this.#now() - module.usedAt <= expiryMs) continue;
      this.#modules.delete(key);
      for (const [url, { checksum }] of this.#seen) if (key.endsWith(`@${checksum}`)) this.#seen.delete(url);
      await rm(module.path, { force: true }).catch((error: unknown) => {
        log.error(`a Wasm module cannot be removed: ${module.path}`, { error });
      });
    }
    metrics.istio_agent_wasm_cache_entries.set(this.#modules.size);
  }

  async #find(request: ModuleRequest): Promise<string> {
    const { metrics, fetch } = this.#options;
    const location = parseLocation(request.url);
    const name = moduleName(location);
    const expected = request.checksum || pinnedDigest(location);
    const cached = this.#use(name, expected ?? this.#lastChecksum(location, request));
    metrics.istio_agent_wasm_cache_lookup_count.increment({ hit: `${cached !== undefined}` });
    if (cached !== undefined) return cached;
    const remote = await this.#counted(location.kind === 'oci' ? 'manifest_failure' : 'download_failure', () =>
      fetch(location, request),
    );
    if (expected !== undefined && remote.checksum !== expected) {
      metrics.istio_agent_wasm_remote_fetch_count.increment({ result: 'checksum_mismatched' });
      throw new Error(`${request.url} has the checksum ${remote.checksum}, not ${expected}`);
    }
    // Another URL, or a former version of the resource, may have had the same one.
    const known = this.#use(name, remote.checksum);
    const path = known ?? (await this.#store(name, remote, request.url));
    if (expected === undefined) this.#remember(request, remote.checksum);
    return path;
  }

  async #store(name: string, remote: RemoteModule, url: string): Promise<string> {
    const { dir, metrics } = this.#options;
    const module = await this.#counted('download_failure', remote.download);
    if (!isWasm(module)) {
      metrics.istio_agent_wasm_remote_fetch_count.increment({ result: 'fetch_failure' });
      throw new Error(`${url} is no Wasm module`);
    }
    metrics.istio_agent_wasm_remote_fetch_count.increment({ result: 'success' });
    const folder = join(dir, createHash('sha256').update(name).digest('hex'));
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${remote.checksum}.wasm`);
    // Envoy never sees a part of it.
    await writeFile(`${path}.part`, module);
    await rename(`${path}.part`, path);
    this.#modules.set(keyOf(name, remote.checksum), { path, usedAt: this.#now() });
    metrics.istio_agent_wasm_cache_entries.set(this.#modules.size);
    return path;
  }

  async #counted<T>(result: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#options.metrics.istio_agent_wasm_remote_fetch_count.increment({ result });
      throw error;
    }
  }

  #use(name: string, checksum: string | undefined): string | undefined {
    const module = checksum === undefined ? undefined : this.#modules.get(keyOf(name, checksum));
    if (module) module.usedAt = this.#now();
    return module?.path;
  }

  /** What a URL had last, unless it shall be looked up again. */
  #lastChecksum(location: ModuleLocation, { url, resource, version, policy }: ModuleRequest): string | undefined {
    const seen = this.#seen.get(url);
    const isSameVersion = seen?.versions.get(resource) === version;
    return isSameVersion || !pullsAgain(location, policy) ? seen?.checksum : undefined;
  }

  #remember({ url, resource, version }: ModuleRequest, checksum: string): void {
    const seen = this.#seen.get(url) ?? { checksum, versions: new Map<string, string>() };
    seen.checksum = checksum;
    seen.versions.set(resource, version);
    this.#seen.set(url, seen);
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

const keyOf = (name: string, checksum: string): string => `${name}@${checksum}`;

/** Whether a new version of a resource has its module looked up again; by default only a tag that moves by its nature does. */
function pullsAgain(location: ModuleLocation, policy: PullPolicy): boolean {
  if (policy !== 'UNSPECIFIED_POLICY') return policy === 'Always';
  return location.kind === 'oci' && location.reference === 'latest';
}
