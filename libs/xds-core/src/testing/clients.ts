import {
  decode,
  type DeltaDiscoveryRequest,
  type DeltaDiscoveryResponse,
  type DiscoveryRequest,
  type DiscoveryResponse,
  encode,
} from '@kedge/envoy-api';
import { isNamedOnly } from '../type-urls.ts';
import type { Protocol } from '../events.ts';
import type { FakeStream } from './fake-stream.ts';
import { contentOf } from './mesh.ts';

/** One response, as the client sees it. */
export interface Received {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  /** Content by name. */
  readonly resources: ReadonlyMap<string, string>;
  readonly versions: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
}

export const node = { id: 'sidecar~10.0.0.1~a.default~default.svc.cluster.local' };

/** A client of either protocol that holds what it accepted, as the xDS protocol says. */
export abstract class XdsClient {
  abstract readonly protocol: Protocol;
  readonly stream: FakeStream;
  /** What it holds, by type and name. */
  readonly held = new Map<string, Map<string, string>>();
  readonly received: Received[] = [];
  protected readonly names = new Map<string, Set<string>>();
  protected readonly versions = new Map<string, Map<string, string>>();
  protected readonly nonces = new Map<string, string>();
  #read = 0;
  #introduced = false;

  constructor(stream: FakeStream) {
    this.stream = stream;
  }

  /** Responses that were written and not yet taken. */
  get waiting(): number {
    return this.stream.written.length - this.#read;
  }

  abstract subscribe(typeUrl: string, names?: readonly string[]): void;
  abstract unsubscribe(typeUrl: string, names: readonly string[]): void;
  /** Continues on a new stream. */
  abstract reconnect(stream: FakeStream): XdsClient;
  protected abstract read(bytes: Uint8Array): Received;
  protected abstract reply(response: Received, error?: string): void;
  protected abstract apply(response: Received): void;

  /** Takes the next response; the verdict is given by `ack` or `nack`. */
  take(): Received | undefined {
    const bytes = this.stream.written[this.#read];
    if (bytes === undefined) return undefined;
    this.#read += 1;
    const response = this.read(bytes);
    this.received.push(response);
    return response;
  }

  ack(response: Received): void {
    this.nonces.set(response.typeUrl, response.nonce);
    this.apply(response);
    this.reply(response);
  }

  nack(response: Received, error = 'refused'): void {
    this.nonces.set(response.typeUrl, response.nonce);
    this.reply(response, error);
  }

  /** Takes and accepts everything that is there. */
  ackAll(): readonly Received[] {
    const taken: Received[] = [];
    for (let response = this.take(); response !== undefined; response = this.take()) {
      taken.push(response);
      this.ack(response);
    }
    return taken;
  }

  contents(typeUrl: string): Readonly<Record<string, string>> {
    return Object.fromEntries([...(this.held.get(typeUrl) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  protected introduction(): { node?: typeof node } {
    if (this.#introduced) return {};
    this.#introduced = true;
    return { node };
  }

  protected of<Key, Value>(map: Map<string, Map<Key, Value>>, typeUrl: string): Map<Key, Value> {
    let inner = map.get(typeUrl);
    if (inner === undefined) map.set(typeUrl, (inner = new Map()));
    return inner;
  }
}

export class DeltaClient extends XdsClient {
  readonly protocol = 'delta';

  send(request: DeltaDiscoveryRequest): void {
    const bytes = encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', { ...this.introduction(), ...request });
    this.stream.send(bytes);
  }

  subscribe(typeUrl: string, names: readonly string[] = []): void {
    this.names.set(typeUrl, new Set([...(this.names.get(typeUrl) ?? []), ...names]));
    this.send({ typeUrl, resourceNamesSubscribe: names });
  }

  unsubscribe(typeUrl: string, names: readonly string[]): void {
    for (const name of names) {
      this.names.get(typeUrl)?.delete(name);
      this.of(this.held, typeUrl).delete(name);
      this.of(this.versions, typeUrl).delete(name);
    }
    this.send({ typeUrl, resourceNamesUnsubscribe: names });
  }

  reconnect(stream: FakeStream): DeltaClient {
    const next = new DeltaClient(stream);
    for (const [typeUrl, names] of this.names) {
      next.held.set(typeUrl, new Map(this.held.get(typeUrl)));
      next.versions.set(typeUrl, new Map(this.versions.get(typeUrl)));
      next.names.set(typeUrl, new Set(names));
      const initialResourceVersions = Object.fromEntries(this.versions.get(typeUrl) ?? []);
      next.send({ typeUrl, resourceNamesSubscribe: [...names], initialResourceVersions });
    }
    return next;
  }

  protected read(bytes: Uint8Array): Received {
    const response: DeltaDiscoveryResponse = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes);
    const { resources = [] } = response;
    return {
      typeUrl: response.typeUrl ?? '',
      nonce: response.nonce ?? '',
      version: response.systemVersionInfo ?? '',
      resources: new Map(resources.map(({ name = '', resource }) => [name, contentOf(resource).content])),
      versions: new Map(resources.map(({ name = '', version = '' }) => [name, version])),
      removed: response.removedResources ?? [],
    };
  }

  protected apply({ typeUrl, resources, versions, removed }: Received): void {
    for (const [name, content] of resources) {
      // What was unsubscribed while it was under way is nobody's any more.
      if (isNamedOnly(typeUrl) && this.names.get(typeUrl)?.has(name) !== true) continue;
      this.of(this.held, typeUrl).set(name, content);
      this.of(this.versions, typeUrl).set(name, versions.get(name) ?? '');
    }
    for (const name of removed) {
      this.of(this.held, typeUrl).delete(name);
      this.of(this.versions, typeUrl).delete(name);
    }
  }

  protected reply({ typeUrl, nonce }: Received, error?: string): void {
    this.send({ typeUrl, responseNonce: nonce, ...(error && { errorDetail: { code: 13, message: error } }) });
  }
}

export class SotwClient extends XdsClient {
  readonly protocol = 'sotw';
  readonly #accepted = new Map<string, string>();

  send(request: DiscoveryRequest): void {
    this.stream.send(encode('envoy.service.discovery.v3.DiscoveryRequest', { ...this.introduction(), ...request }));
  }

  subscribe(typeUrl: string, names: readonly string[] = []): void {
    const all = new Set([...(this.names.get(typeUrl) ?? []), ...names]);
    this.names.set(typeUrl, all);
    this.#sendNames(typeUrl);
  }

  unsubscribe(typeUrl: string, names: readonly string[]): void {
    for (const name of names) {
      this.names.get(typeUrl)?.delete(name);
      this.of(this.held, typeUrl).delete(name);
    }
    this.#sendNames(typeUrl);
  }

  reconnect(stream: FakeStream): SotwClient {
    const next = new SotwClient(stream);
    for (const [typeUrl, names] of this.names) {
      next.held.set(typeUrl, new Map(this.held.get(typeUrl)));
      next.names.set(typeUrl, new Set(names));
      const version = this.#accepted.get(typeUrl);
      if (version !== undefined) next.#accepted.set(typeUrl, version);
      next.#sendNames(typeUrl);
    }
    return next;
  }

  #sendNames(typeUrl: string): void {
    this.send({
      typeUrl,
      resourceNames: [...(this.names.get(typeUrl) ?? [])],
      versionInfo: this.#accepted.get(typeUrl),
      responseNonce: this.nonces.get(typeUrl),
    });
  }

  protected read(bytes: Uint8Array): Received {
    const response: DiscoveryResponse = decode('envoy.service.discovery.v3.DiscoveryResponse', bytes);
    const contents = (response.resources ?? []).map(contentOf);
    return {
      typeUrl: response.typeUrl ?? '',
      nonce: response.nonce ?? '',
      version: response.versionInfo ?? '',
      resources: new Map(contents.map(({ name, content }) => [name, content])),
      versions: new Map(),
      removed: [],
    };
  }

  protected apply({ typeUrl, resources, version }: Received): void {
    const held = this.of(this.held, typeUrl);
    const names = this.names.get(typeUrl);
    if (!isNamedOnly(typeUrl)) held.clear();
    for (const [name, content] of resources) if (!isNamedOnly(typeUrl) || names?.has(name)) held.set(name, content);
    this.#accepted.set(typeUrl, version);
  }

  protected reply({ typeUrl, nonce }: Received, error?: string): void {
    this.send({
      typeUrl,
      resourceNames: [...(this.names.get(typeUrl) ?? [])],
      versionInfo: this.#accepted.get(typeUrl),
      responseNonce: nonce,
      ...(error && { errorDetail: { code: 13, message: error } }),
    });
  }
}
