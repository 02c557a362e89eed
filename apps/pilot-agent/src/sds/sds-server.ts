import { GrpcServer } from '@kedge/grpc-server';
import type { Logger } from '@kedge/observability';
import { mergeRoots } from '@kedge/security';
import {
  adsMethods,
  Answer,
  DiscoveryServer,
  type EncodedResource,
  GeneratorRegistry,
  type Subscription,
  TypeUrl,
} from '@kedge/xds-core';
import { listenOnSocket } from '../unix-socket.ts';
import { FileSecret } from './file-secret.ts';
import { fileSource, rootSecret, type SecretSource } from './secret-name.ts';
import { type SecretContent, secretResource, type TrustContent } from './secret-resource.ts';

type Secrets = ReadonlyMap<string, EncodedResource>;

const serviceName = 'envoy.service.secret.v3.SecretDiscoveryService';

/** Serves secrets to Envoy over a Unix socket, by name, and pushes those that change. */
export class SdsServer implements AsyncDisposable {
  readonly #grpc = new GrpcServer();
  readonly #discovery: DiscoveryServer<Secrets, string, readonly EncodedResource[]>;
  readonly #files = new Map<string, FileSecret>();
  readonly #reportFile: (problem: string) => void;
  #trust: TrustContent | undefined;
  #furtherRoots = '';
  #revocations = '';

  /** @param failed told each time that a secret in files can't be used */
  constructor(log: Logger, failed: () => void = () => undefined) {
    this.#reportFile = (problem) => {
      log.warn(`a secret in files is not there: ${problem}`);
      failed();
    };
    this.#discovery = new DiscoveryServer<Secrets, string, readonly EncodedResource[]>({
      initialSnapshot: new Map(),
      nextSnapshot: (previous, changed) => new Map([...previous, ...changed.map((one) => [one.name, one] as const)]),
      mergeRequests: (earlier, later) => [...earlier, ...later],
      connect: (node) => ({ kind: 'accepted', client: node.id ?? '', nodeType: 'envoy' }),
      needsPush: () => 'all',
      debounce: { afterMs: 0 },
      generators: new GeneratorRegistry([
        [TypeUrl.secret, { generate: ({ snapshot, subscription }) => this.#answer(snapshot, subscription) }],
      ]),
    });
    const { StreamAggregatedResources, DeltaAggregatedResources } = adsMethods(this.#discovery);
    this.#grpc.addService(serviceName, {
      StreamSecrets: StreamAggregatedResources!,
      DeltaSecrets: DeltaAggregatedResources!,
    });
  }

  listen(path: string): Promise<void> {
    return listenOnSocket(this.#grpc, path);
  }

  /** Secrets that are there from now on, in place of former ones. They are pushed together. */
  set(secrets: Readonly<Record<string, SecretContent>>): void {
    const complete = Object.entries(secrets).map(([name, content]) =>
      secretResource(name, name === rootSecret && 'roots' in content ? this.#complete(content) : content),
    );
    this.#discovery.configUpdate(complete);
  }

  /**
   * Serves these roots beside those of the workload, in place of former ones.
   * @throws Error where they can't be read; the former ones stay.
   */
  setFurtherRoots(roots: string): void {
    this.#furtherRoots = mergeRoots(roots);
    this.#trustAnew();
  }

  /** Serves the lists of revoked certificates that a file has, once it is there, with the roots of the workload. */
  followRevocations(path: string): void {
    const onContent = (content: SecretContent): void => {
      if ('roots' in content) this.#revocations = content.roots;
      this.#trustAnew();
    };
    this.#files.set(path, new FileSecret({ source: { kind: 'roots', path }, onContent }));
  }

  /** Serves a name from files. */
  follow(name: string, source: SecretSource): void {
    if (this.#files.has(name)) return;
    const onContent = (content: SecretContent) => this.set({ [name]: content });
    this.#files.set(name, new FileSecret({ source, onContent, report: this.#reportFile }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files.values()) file[Symbol.dispose]();
    this.#discovery[Symbol.dispose]();
    await this.#grpc.shutdown();
  }

  #trustAnew(): void {
    if (this.#trust) this.set({ [rootSecret]: this.#trust });
  }

  /** With what was told besides, and remembered without. */
  #complete(trust: TrustContent): TrustContent {
    this.#trust = trust;
    const roots = this.#furtherRoots === '' ? trust.roots : mergeRoots(trust.roots, this.#furtherRoots);
    return { roots, revocations: this.#revocations };
  }

  /** What isn't there yet is not answered: Envoy waits for it, where an answer without it would be a refusal. */
  #answer(secrets: Secrets, { names }: Subscription): Answer | undefined {
    for (const name of names) {
      const source = fileSource(name);
      if (source) this.follow(name, source);
    }
    const found = names.map((name) => secrets.get(name)).filter((secret) => secret !== undefined);
    return found.length > 0 ? new Answer(found) : undefined;
  }
}
