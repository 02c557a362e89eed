import { type Any, decode, encode } from '@kedge/envoy-api';
import { GrpcServer, type ServerStream } from '@kedge/grpc-server';
import { adsServiceName } from '@kedge/xds-core';

const api = 'envoy.service.discovery.v3';

/** A control plane in plain text that sends what it is given, by type and name, over delta xDS. */
export class FixedControlPlane implements AsyncDisposable {
  /** What proxies told beside requests: types, with the error where there is one. */
  readonly told: string[] = [];
  readonly #resources = new Map<string, Readonly<Record<string, Any>>>();
  readonly #streams = new Map<ServerStream, Set<string>>();
  readonly #server = new GrpcServer();
  #version = 0;
  port = 0;

  constructor() {
    const handle = (stream: ServerStream): void => this.#serve(stream);
    this.#server.addService(adsServiceName, { DeltaAggregatedResources: { kind: 'bidi', handle } });
  }

  async start(): Promise<this> {
    this.port = (await this.#server.listen({ host: '127.0.0.1', port: 0 })).port;
    return this;
  }

  /** Replaces the resources of a type. */
  set(typeUrl: string, resources: Readonly<Record<string, Any>>): void {
    this.#resources.set(typeUrl, resources);
    for (const [stream, types] of this.#streams) if (types.has(typeUrl)) this.#send(stream, typeUrl);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }

  #serve(stream: ServerStream): void {
    const types = new Set<string>();
    this.#streams.set(stream, types);
    stream.signal.addEventListener('abort', () => this.#streams.delete(stream), { once: true });
    stream.receive((message) => {
      const { typeUrl = '', responseNonce, errorDetail } = decode(`${api}.DeltaDiscoveryRequest`, message);
      this.told.push([typeUrl, errorDetail?.message].filter(Boolean).join(': '));
      if (responseNonce) return;
      types.add(typeUrl);
      this.#send(stream, typeUrl);
    });
  }

  #send(stream: ServerStream, typeUrl: string): void {
    const version = `${(this.#version += 1)}`;
    const resources = Object.entries(this.#resources.get(typeUrl) ?? {});
    const answer = {
      typeUrl,
      nonce: version,
      systemVersionInfo: version,
      resources: resources.map(([name, resource]) => ({ name, version, resource })),
    };
    stream.write(Buffer.from(encode(`${api}.DeltaDiscoveryResponse`, answer)));
  }
}
