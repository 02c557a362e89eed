import { type ChannelCredentials, Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { encode, type Node } from '@kedge/envoy-api';
import { adsServiceName } from '@kedge/xds-core';

/** A resource as it came, its `Any` byte for byte. The name is known in delta only. */
export interface ReceivedResource {
  readonly name: string;
  readonly any: Buffer;
}

export type AdsProtocol = 'sotw' | 'delta';

const methods = { sotw: 'StreamAggregatedResources', delta: 'DeltaAggregatedResources' } as const;
/** Fields of `DiscoveryResponse`, `DeltaDiscoveryResponse` and `Resource` that are read here. */
const RESOURCES = 2;
const NONCE = 5;
const RESOURCE = { any: 2, name: 3 } as const;

const raw = (bytes: Buffer): Buffer => bytes;

/** A client that asks for one type after the other and sees what is on the wire, decoding nothing but the frame. */
export class AdsClient implements Disposable {
  readonly #client: Client;
  readonly #protocol: AdsProtocol;
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  #node: Node | undefined;

  constructor(
    port: number,
    protocol: AdsProtocol,
    node: Node,
    channel: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.#client = new Client(`127.0.0.1:${port}`, channel, { 'grpc.ssl_target_name_override': 'localhost' });
    this.#protocol = protocol;
    this.#node = node;
    this.#stream = this.#client.makeBidiStreamRequest(`/${adsServiceName}/${methods[protocol]}`, raw, raw);
    // Each wait below hears of it too.
    this.#stream.on('error', () => undefined);
  }

  /** Subscribes to a type, all of it where no names are given, takes the answer and accepts it. */
  async subscribe(typeUrl: string, names: readonly string[] = []): Promise<readonly ReceivedResource[]> {
    this.#send(typeUrl, names, '');
    const response = fieldsOf(await this.#receive());
    const nonce = response.find(({ field }) => field === NONCE)?.value.toString() ?? '';
    this.#send(typeUrl, names, nonce);
    return this.#resources(response);
  }

  /** Tells something that is no subscription, and that nothing is answered to. @param problem absent where all is well */
  report(typeUrl: string, problem?: string): void {
    this.#send(typeUrl, [], '', problem);
  }

  /** The resources of the next answer, of whatever type. */
  async next(): Promise<readonly ReceivedResource[]> {
    return this.#resources(fieldsOf(await this.#receive()));
  }

  [Symbol.dispose](): void {
    this.#stream.cancel();
    this.#client.close();
  }

  #resources(response: readonly Field[]): readonly ReceivedResource[] {
    return response.filter(({ field }) => field === RESOURCES).map(({ value }) => this.#resource(value));
  }

  #resource(value: Buffer): ReceivedResource {
    if (this.#protocol === 'sotw') return { name: '', any: value };
    const fields = fieldsOf(value);
    const find = (wanted: number): Buffer => fields.find(({ field }) => field === wanted)?.value ?? Buffer.alloc(0);
    return { name: find(RESOURCE.name).toString(), any: find(RESOURCE.any) };
  }

  #send(typeUrl: string, names: readonly string[], responseNonce: string, problem?: string): void {
    const node = this.#node;
    this.#node = undefined;
    const errorDetail = problem === undefined ? {} : { errorDetail: { code: 13, message: problem } };
    const common = { ...(node && { node }), typeUrl, responseNonce, ...errorDetail };
    const bytes =
      this.#protocol === 'sotw'
        ? encode('envoy.service.discovery.v3.DiscoveryRequest', { ...common, resourceNames: names })
        : encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
            ...common,
            ...(responseNonce === '' && { resourceNamesSubscribe: names }),
          });
    this.#stream.write(Buffer.from(bytes));
  }

  #receive(): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#stream.once('data', resolve).once('error', reject);
    return promise.finally(() => this.#stream.off('data', resolve).off('error', reject));
  }
}

interface Field {
  readonly field: number;
  readonly value: Buffer;
}

/** The length-delimited fields of a message that has no others. */
function fieldsOf(bytes: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const field = varint() >>> 3;
    const length = varint();
    fields.push({ field, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return fields;
}
