import type { Answer } from './answer.ts';
import type { Subscription } from './subscription.ts';

export interface GenerateContext<Snapshot, Client> {
  readonly snapshot: Snapshot;
  readonly client: Client;
  readonly typeUrl: string;
  readonly subscription: Subscription;
  readonly push: PushInfo;
}

/** The push that an answer belongs to: the latest one, also where the client asked. */
export interface PushInfo {
  /** `time/number`, as shown to clients. */
  readonly version: string;
  /** When the snapshot was made, in milliseconds of the clock. */
  readonly startedAt: number;
}

/** Makes the resources of a type, as a pure and synchronous function of snapshot, client and subscription. */
export interface XdsGenerator<Snapshot, Client> {
  /** The answer; undefined where there is nothing to say, not even that there are no resources. */
  generate(context: GenerateContext<Snapshot, Client>): Answer | undefined;
  /** Each request is answered, and nothing is pushed afterwards. */
  readonly oneShot?: boolean;
}

/** What decides, beside the type URL, who generates for a client. */
export interface ClientClass {
  /** The kind of node: `sidecar`, `router`, `waypoint`, `ztunnel`. */
  readonly nodeType: string;
  /** The node's metadata GENERATOR. */
  readonly generator?: string;
}

/** The fallback that answers types which nobody registered. */
export const defaultGeneratorKey = 'api';

/** The fallback for types that begin with `debugTypePrefix`. */
export const debugGeneratorKey = 'event';
export const debugTypePrefix = 'istio.io/debug';

/**
 * Generators by key. A key is a type URL, or one behind a node type or a value of the metadata GENERATOR
 * (`waypoint/TYPE_URL`, `grpc/TYPE_URL`), or a value of GENERATOR alone for all types that have none of their own.
 */
export class GeneratorRegistry<Snapshot, Client> {
  readonly #byKey = new Map<string, XdsGenerator<Snapshot, Client>>();
  /** What was found for nodes without a GENERATOR, by registered type and node type. */
  readonly #found = new Map<string, Map<string, XdsGenerator<Snapshot, Client> | undefined>>();

  constructor(generators: Iterable<readonly [key: string, generator: XdsGenerator<Snapshot, Client>]> = []) {
    for (const [key, generator] of generators) this.register(key, generator);
  }

  /** Registers a generator, in place of a former one of the same key. */
  register(key: string, generator: XdsGenerator<Snapshot, Client>): void {
    this.#byKey.set(key, generator);
    this.#found.clear();
  }

  /** The generator for a type, the most specific key first. */
  find(typeUrl: string, { nodeType, generator }: ClientClass): XdsGenerator<Snapshot, Client> | undefined {
    // Clients may ask for any type, which is not to be remembered.
    if (generator || !this.#byKey.has(typeUrl)) return this.#look(typeUrl, nodeType, generator);
    let byNodeType = this.#found.get(typeUrl);
    if (!byNodeType) this.#found.set(typeUrl, (byNodeType = new Map()));
    if (!byNodeType.has(nodeType)) byNodeType.set(nodeType, this.#look(typeUrl, nodeType));
    return byNodeType.get(nodeType);
  }

  #look(typeUrl: string, nodeType: string, generator?: string): XdsGenerator<Snapshot, Client> | undefined {
    const own = generator ? [`${generator}/${typeUrl}`] : [];
    const whole = generator && this.#byKey.has(generator) ? [generator] : [];
    const fallback = typeUrl.startsWith(debugTypePrefix) ? debugGeneratorKey : defaultGeneratorKey;
    const keys = [...own, `${nodeType}/${typeUrl}`, typeUrl, ...whole, fallback];
    return keys.map((key) => this.#byKey.get(key)).find((found) => found !== undefined);
  }
}
