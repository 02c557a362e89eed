import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { decode, type DeltaDiscoveryRequest, encode, type Node } from '@kedge/envoy-api';
import { adsServiceName } from '@kedge/xds-core';

/** The names of what an answer holds to what the client says of it: an error, or undefined to accept it. */
export type Verdict = (typeUrl: string, resources: ReadonlyMap<string, unknown>) => string | undefined;

const raw = (bytes: Buffer): Buffer => bytes;

/** A delta client that takes whatever comes, or refuses it, and holds what it took. */
export class AdsFollower implements Disposable {
  /** Messages by type and name. */
  readonly held = new Map<string, Map<string, unknown>>();
  /** How many answers came. */
  answers = 0;
  readonly #client: Client;
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  readonly #verdict: Verdict;
  #node: Node | undefined;
  #waiting: Buffer[] | undefined;

  constructor(port: number, node: Node, verdict: Verdict = () => undefined) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    this.#verdict = verdict;
    this.#node = node;
    this.#stream = this.#client.makeBidiStreamRequest(`/${adsServiceName}/DeltaAggregatedResources`, raw, raw);
    this.#stream.on('data', (bytes: Buffer) => this.#take(bytes)).on('error', () => undefined);
  }

  /** Leaves what comes unanswered, */
  hold(): void {
    this.#waiting ??= [];
  }

  /** until now. */
  release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const bytes of waiting) this.#answer(bytes);
  }

  subscribe(typeUrl: string, names: readonly string[] = []): void {
    this.held.set(typeUrl, new Map());
    this.#send({ typeUrl, resourceNamesSubscribe: names });
  }

  [Symbol.dispose](): void {
    this.#stream.cancel();
    this.#client.close();
  }

  #take(bytes: Buffer): void {
    this.answers += 1;
    if (this.#waiting) this.#waiting.push(bytes);
    else this.#answer(bytes);
  }

  #answer(bytes: Buffer): void {
    const {
      typeUrl = '',
      nonce = '',
      resources = [],
      removedResources = [],
    } = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes);
    const received = new Map(resources.map(({ name = '', resource }) => [name, resource as unknown]));
    const error = this.#verdict(typeUrl, received);
    this.#send({ typeUrl, responseNonce: nonce, ...(error ? { errorDetail: { code: 13, message: error } } : {}) });
    if (error) return;
    const held = this.held.get(typeUrl);
    for (const [name, resource] of received) held?.set(name, resource);
    for (const name of removedResources) held?.delete(name);
  }

  #send(request: DeltaDiscoveryRequest): void {
    const node = this.#node;
    this.#node = undefined;
    const bytes = encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', { ...(node && { node }), ...request });
    this.#stream.write(Buffer.from(bytes));
  }
}
