import type { ConfigChange, ConfigSource, MemorySource } from '@kedge/config';
import { type CallStatus, Status } from '@kedge/grpc-server';
import { DisposableStore } from '@kedge/incremental';
import { type ConfigKey, type ConfigOf, configKeyText, type Proxy } from '@kedge/model';
import { entryName, entryOfGroup, groupOf, withHealth } from './entry-of-group.ts';

type Entry = ConfigOf<'WorkloadEntry'>;
type Group = ConfigOf<'WorkloadGroup'>;

/** What became of an entry. */
export interface RegistrationEvent {
  readonly kind: 'registered' | 'connected' | 'disconnected' | 'removed' | 'failed';
  readonly entry: ConfigKey;
}

export interface WorkloadRegistrationOptions {
  /** Where the groups are. */
  readonly source: ConfigSource;
  /** Where entries are put. */
  readonly entries: MemorySource;
  /** Milliseconds for which an entry stays without its workload. */
  readonly gracePeriod: number;
  /** Whether a workload must prove that it is of the entry's namespace and service account. */
  readonly needsIdentity: boolean;
  /** Whether entries say what workloads report of their health. */
  readonly takesHealth: boolean;
  readonly observe: (event: RegistrationEvent) => void;
}

interface Workload {
  readonly proxy: Proxy;
  connections: number;
  /** Removes the entry of a workload that is gone. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Makes a WorkloadEntry of each connected workload that names a WorkloadGroup (`AUTO_REGISTER_GROUP`), as virtual machines do, and
 * removes it a while after the workload has gone.
 */
export class WorkloadRegistration implements Disposable {
  readonly #options: WorkloadRegistrationOptions;
  readonly #owned = new DisposableStore();
  /** By the key of the entry. */
  readonly #workloads = new Map<string, Workload>();

  constructor(options: WorkloadRegistrationOptions) {
    this.#options = options;
    this.#owned.add(options.source.subscribe((changes) => this.#follow(changes)));
    this.#owned.defer(() => {
      for (const { timer } of this.#workloads.values()) clearTimeout(timer);
    });
  }

  /** What keeps a proxy from being connected; undefined also for those that don't register themselves. */
  problemOf(proxy: Proxy): CallStatus | undefined {
    const { autoRegisterGroup } = proxy.metadata;
    if (autoRegisterGroup === '') return undefined;
    const entry = this.#entryFor(proxy);
    if (entry) return this.#options.needsIdentity ? identityProblem(proxy, entry) : undefined;
    this.#tell('failed', entryKey(proxy));
    const place = `${proxy.configNamespace}/${autoRegisterGroup}`;
    const message = `auto-registration WorkloadEntry of ${proxy.id} failed: cannot find WorkloadGroup ${place}`;
    return { code: Status.FAILED_PRECONDITION, message };
  }

  connected(proxy: Proxy): void {
    if (proxy.metadata.autoRegisterGroup === '') return;
    const key = configKeyText(entryKey(proxy));
    const known = this.#workloads.get(key);
    clearTimeout(known?.timer);
    this.#workloads.set(key, { proxy, connections: (known?.connections ?? 0) + 1, timer: undefined });
    const isThere = this.#options.entries.get(entryKey(proxy)) !== undefined;
    this.#register(proxy);
    this.#tell(isThere ? 'connected' : 'registered', entryKey(proxy));
  }

  disconnected(proxy: Proxy): void {
    const workload = this.#workloads.get(configKeyText(entryKey(proxy)));
    if (proxy.metadata.autoRegisterGroup === '' || !workload) return;
    workload.connections--;
    if (workload.connections > 0) return;
    workload.timer = setTimeout(() => this.#remove(entryKey(proxy)), this.#options.gracePeriod);
    this.#tell('disconnected', entryKey(proxy));
  }

  /** Takes what a workload says of its health. @param problem absent where it is well */
  reported(proxy: Proxy, problem: string | undefined): void {
    const entry = this.#options.entries.get(entryKey(proxy));
    if (entry && this.#options.takesHealth) this.#options.entries.put(withHealth(entry as Entry, problem, new Date()));
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }

  /** The entry that is there, or would be. */
  #entryFor(proxy: Proxy): Entry | undefined {
    const { source, entries } = this.#options;
    const key = entryKey(proxy);
    const { namespace } = key;
    const group = source.get({ kind: 'WorkloadGroup', namespace, name: proxy.metadata.autoRegisterGroup });
    return (entries.get(key) as Entry | undefined) ?? (group && entryOfGroup(group as Group, proxy));
  }

  #register(proxy: Proxy): void {
    const { entries } = this.#options;
    const entry = this.#entryFor(proxy);
    if (entry && !entries.get(entryKey(proxy))) entries.put(entry);
  }

  #remove(key: ConfigKey): void {
    this.#workloads.delete(configKeyText(key));
    this.#options.entries.delete(key);
    this.#tell('removed', key);
  }

  /** Entries go with their group, and come with it where workloads are connected. */
  #follow(changes: readonly ConfigChange[]): void {
    for (const { key, old, new: group } of changes) {
      if (key.kind !== 'WorkloadGroup') continue;
      const { entries } = this.#options;
      if (!group) {
        entries.delete(...entries.list().filter((entry) => isOfGroup(entry as Entry, key)));
      } else if (!old) {
        for (const { proxy, connections } of this.#workloads.values()) {
          const { configNamespace, metadata } = proxy;
          if (connections > 0 && configNamespace === key.namespace && metadata.autoRegisterGroup === key.name) {
            this.#register(proxy);
          }
        }
      }
    }
  }

  #tell(kind: RegistrationEvent['kind'], entry: ConfigKey): void {
    this.#options.observe({ kind, entry });
  }
}

const entryKey = (proxy: Proxy): ConfigKey => ({
  kind: 'WorkloadEntry',
  namespace: proxy.configNamespace,
  name: entryName(proxy),
});

const isOfGroup = (entry: Entry, { namespace, name }: ConfigKey): boolean =>
  entry.namespace === namespace && groupOf(entry) === name;

function identityProblem({ identity }: Proxy, { namespace, spec }: Entry): CallStatus | undefined {
  const refused = (message: string): CallStatus => ({
    code: Status.PERMISSION_DENIED,
    message: `registration of WorkloadEntry ${message}`,
  });
  if (!identity) return refused('requires a verified identity');
  if (identity.namespace !== namespace) {
    return refused(`namespace mismatch: "${identity.namespace}" vs "${namespace}"`);
  }
  const { serviceAccount } = spec;
  if (serviceAccount && identity.serviceAccount !== serviceAccount) {
    return refused(`service account mismatch: "${identity.serviceAccount}" vs "${serviceAccount}"`);
  }
  return undefined;
}
