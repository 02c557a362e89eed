import { applyChanges, type ChangeListener, type ConfigSource } from '@kedge/config';
import { Health, healthServiceName, GrpcServer, reflectionMethods, reflectionServiceNames } from '@kedge/grpc-server';
import { fileDescriptorsFor } from '@kedge/envoy-api';
import { DisposableStore, type SnapshotEdit } from '@kedge/incremental';
import {
  type Config,
  type ConfigKey,
  mergePushRequests,
  pushRequest,
  type PushRequest,
  type TriggerReason,
} from '@kedge/model';
import { isTypeUrl } from '@kedge/networking';
import { keySetsSource, type MeshSettings, PushContext, setMeshSettings } from '@kedge/pushcontext';
import type { AddressAllocator } from '@kedge/registry';
import {
  adsMethods,
  adsServiceName,
  type ConnectResult,
  DiscoveryServer,
  type XdsEvent,
  type XdsObserver,
} from '@kedge/xds-core';
import type { Identify } from './identity/client-identity.ts';
import type { KeySets } from './key-sets/key-sets.ts';
import type { WorkloadRegistration } from './registration/workload-registration.ts';
import { connect, connectKnown } from './xds/connect.ts';
import type { MeshClient } from './xds/mesh-client.ts';
import type { MeshGenerators } from './xds/mesh-generators.ts';
import { PolicyChanges } from './xds/policy-changes.ts';
import { type MeshRefusals, meshRefusals, type RefusalEvent } from './xds/refusals.ts';

/** The type under which agents say how their workload is. */
const healthReport = 'type.googleapis.com/istio.v1.HealthInformation';

/** How often values that nobody needs any more are let go. */
const SWEEP_INTERVAL_MS = 10_000;

export interface ControlPlaneOptions {
  readonly settings: MeshSettings;
  readonly source: ConfigSource;
  readonly generators: MeshGenerators;
  /** Absent: clients are taken for what they say they are. */
  readonly identify?: Identify | undefined;
  /** Gives hosts of ServiceEntries the addresses that nobody writes into the entries' status. */
  readonly allocator?: AddressAllocator | undefined;
  /** Keys that are fetched for RequestAuthentications. */
  readonly keySets?: KeySets | undefined;
  /** Makes entries of workloads that register themselves. */
  readonly registration?: WorkloadRegistration | undefined;
}

/** What happens in the engine, of this mesh. */
export type MeshEvent = XdsEvent<MeshClient, PushRequest>;
export type MeshObserver = XdsObserver<MeshClient, PushRequest>;

export type RefusalObserver = (event: RefusalEvent) => void;

/** The part of the control plane that serves proxies: objects in, xDS out. */
export class ControlPlane implements AsyncDisposable {
  readonly server: DiscoveryServer<PushContext, MeshClient, PushRequest>;
  readonly source: ConfigSource;
  readonly grpc: GrpcServer;
  readonly health = new Health();
  /** What proxies refuse and are served something else for. */
  readonly refusals: MeshRefusals;
  readonly #owned = new DisposableStore();
  readonly #observers = new Set<MeshObserver>();
  readonly #refusalObservers = new Set<RefusalObserver>();
  readonly #policyChanges = new PolicyChanges();
  readonly #allocator: AddressAllocator | undefined;
  readonly #keySets: KeySets | undefined;
  #settings: Partial<MeshSettings> = {};
  #amendments: readonly ((edit: SnapshotEdit) => void)[] = [];

  constructor({ settings, source, generators, identify, allocator, keySets, registration }: ControlPlaneOptions) {
    const { features } = settings;
    this.source = source;
    this.#allocator = allocator;
    this.#keySets = keySets;
    this.refusals = meshRefusals({
      policyChanges: this.#policyChanges,
      snapshot: () => this.server.snapshot,
      push: () => this.server.configUpdate(pushRequest([], 'proxyupdate', Date.now())),
      observe: (event) => {
        for (const observe of this.#refusalObservers) observe(event);
      },
    });
    this.server = new DiscoveryServer<PushContext, MeshClient, PushRequest>({
      initialSnapshot: initialContext(settings, source.list(), { allocator, keySets }),
      nextSnapshot: (previous, request) => this.#next(previous, request),
      mergeRequests: mergePushRequests,
      connect: (node, peer) => {
        const admit = (result: ConnectResult<MeshClient>): ConnectResult<MeshClient> => {
          const problem = result.kind === 'accepted' ? registration?.problemOf(result.client.proxy) : undefined;
          return problem ? { kind: 'rejected', status: problem } : result;
        };
        return identify ? connectKnown(node, peer, identify).then(admit) : admit(connect(node, peer));
      },
      disconnected: (client) => {
        registration?.disconnected(client.proxy);
        client[Symbol.dispose]();
      },
      reports: new Map([[healthReport, (client, problem) => registration?.reported(client.proxy, problem)]]),
      needsPush: (client) => client.pushScope,
      generators,
      refusals: this.refusals,
      debounce: {
        afterMs: features.debounceAfter,
        maxMs: features.debounceMax,
        immediate: (request) => !features.debounceEndpoints && concernsEndpointsOnly(request),
      },
      concurrentPushLimit: features.pushThrottle || 100,
      ...(features.maxRequestsPerSecond > 0 ? { maxConnectsPerSecond: features.maxRequestsPerSecond } : {}),
      observe: (event) => {
        if (event.kind === 'sent' && !isTypeUrl(event.typeUrl)) {
          event.connection.client.addUntracked(event.typeUrl);
        }
        if (event.kind === 'opened') registration?.connected(event.connection.client.proxy);
        for (const observe of this.#observers) observe(event);
      },
      controlPlane: features.podName || 'istiod',
    });
    this.grpc = new GrpcServer({
      maxReceiveBytes: features.maxReceiveMessageBytes,
      maxConcurrentStreams: features.maxConcurrentStreams,
      keepalive: { intervalMs: features.keepaliveInterval, timeoutMs: features.keepaliveTimeout },
    });
    this.#addServices();
    this.#owned.add(source.subscribe((changes) => this.#changed(changes)));
    if (keySets) {
      this.#owned.add(
        keySets.subscribe((place, keys) =>
          this.amend((edit) => {
            edit.set(keySetsSource, place, keys);
          }, 'unknown'),
        ),
      );
    }
    const sweeper = setInterval(() => this.server.snapshot.memo.sweep(), SWEEP_INTERVAL_MS);
    this.#owned.defer(() => clearInterval(sweeper));
  }

  /** Tells everything that happens from now on. */
  observe(observer: MeshObserver): Disposable {
    this.#observers.add(observer);
    return { [Symbol.dispose]: () => void this.#observers.delete(observer) };
  }

  /** Tells what is suspected of being refused from now on, and what no longer. */
  observeRefusals(observer: RefusalObserver): Disposable {
    this.#refusalObservers.add(observer);
    return { [Symbol.dispose]: () => void this.#refusalObservers.delete(observer) };
  }

  /** Replaces mesh configuration, networks or other settings, and pushes what follows. */
  configure(settings: Partial<MeshSettings>, reason: TriggerReason): void {
    this.#settings = { ...this.#settings, ...settings };
    this.server.configUpdate(pushRequest([], reason, Date.now()));
  }

  /** Changes inputs that are neither objects nor settings, like answers of name servers, and pushes what follows. */
  amend(amendment: (edit: SnapshotEdit) => void, reason: TriggerReason): void {
    this.#amendments = [...this.#amendments, amendment];
    this.server.configUpdate(pushRequest([], reason, Date.now()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#owned[Symbol.dispose]();
    this.server[Symbol.dispose]();
    await this.grpc[Symbol.asyncDispose]();
  }

  #addServices(): void {
    this.grpc.addService(adsServiceName, adsMethods(this.server));
    this.grpc.addService(healthServiceName, this.health.methods);
    const reflection = reflectionMethods({
      fileBySymbol: (name) => fileDescriptorsFor(name)?.[0],
      fileByName: (name) => fileDescriptorsFor(name)?.[0],
      services: () => this.grpc.services,
    });
    for (const name of reflectionServiceNames) this.grpc.addService(name, reflection);
    for (const service of ['', adsServiceName]) this.health.set(service, 'SERVING');
  }

  readonly #changed: ChangeListener = (changes) => {
    const ready: ConfigKey[] = [];
    for (const { key } of changes) {
      const tried = this.#keySets?.tried(key);
      if (tried) void tried.then(() => this.#update([key]));
      else ready.push(key);
    }
    if (ready.length > 0) this.#update(ready);
  };

  #update(keys: readonly ConfigKey[]): void {
    if (this.#owned.disposed) return;
    this.server.configUpdate(pushRequest(keys, reasonOf(keys), Date.now()));
  }

  #next(previous: PushContext, { configsUpdated }: PushRequest): PushContext {
    const settings = this.#settings;
    const amendments = this.#amendments;
    this.#settings = {};
    this.#amendments = [];
    const next = previous.next((edit) => {
      setMeshSettings(edit, settings);
      for (const amend of amendments) amend(edit);
      const changes = Array.from(configsUpdated.values(), (key) => ({ key, new: this.source.get(key) }));
      applyChanges(edit, changes);
      this.#allocator?.apply(edit, changes);
    });
    // The first context is that of no push.
    this.#policyChanges.add(next.version - 1, next.changed);
    return next;
  }
}

function initialContext(
  settings: MeshSettings,
  objects: readonly Config[],
  { allocator, keySets }: Pick<ControlPlaneOptions, 'allocator' | 'keySets'>,
): PushContext {
  return PushContext.empty().next((edit) => {
    setMeshSettings(edit, settings);
    keySets?.write(edit);
    const changes = objects.map((object) => ({ key: object, new: object }));
    applyChanges(edit, changes);
    allocator?.apply(edit, changes);
  });
}

const reasons: Readonly<Record<string, TriggerReason>> = {
  EndpointSlice: 'endpoint',
  Pod: 'endpoint',
  Service: 'service',
  ServiceEntry: 'service',
  Secret: 'secret',
  Namespace: 'namespace',
};

const concernsEndpointsOnly = ({ reason }: PushRequest): boolean => reason.size === 1 && reason.has('endpoint');

function reasonOf(keys: readonly ConfigKey[]): TriggerReason {
  return reasons[keys[0]?.kind ?? ''] ?? 'config';
}
