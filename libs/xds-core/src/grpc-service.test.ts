import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { decode, encode } from '@kedge/envoy-api';
import { GrpcServer, Status } from '@kedge/grpc-server';
import { DiscoveryServer } from './discovery-server.ts';
import { adsMethods, adsServiceName } from './grpc-service.ts';
import { edited, type TestClient, testGenerators, type TestRequest, type TestSnapshot } from './testing/mesh.ts';
import { TypeUrl } from './type-urls.ts';

const { cluster } = TypeUrl;
const node = { id: 'sidecar~10.0.0.1~a.default~default.svc.cluster.local' };
/** Enough for several windows of HTTP/2's flow control. */
const large = 'x'.repeat(300_000);

type Stream = ClientDuplexStream<Buffer, Buffer>;

let ads: DiscoveryServer<TestSnapshot, TestClient, TestRequest>;
let grpc: GrpcServer;
let client: Client;

beforeEach(async () => {
  ads = new DiscoveryServer<TestSnapshot, TestClient, TestRequest>({
    initialSnapshot: { [cluster]: { a: large, b: '1' } },
    nextSnapshot: edited,
    mergeRequests: (earlier, later) => ({ edits: [...earlier.edits, ...later.edits] }),
    connect: ({ id = '' }, { address, metadata }) =>
      metadata.get('authorization') === 'Bearer wrong'
        ? { kind: 'rejected', status: { code: Status.UNAUTHENTICATED, message: `not from ${address.split(':')[0]}` } }
        : { kind: 'accepted', client: { node: id }, nodeType: 'sidecar' },
    needsPush: () => 'all',
    generators: testGenerators(),
    debounce: { afterMs: 5 },
    controlPlane: 'test',
  });
  grpc = new GrpcServer().addService(adsServiceName, adsMethods(ads));
  const { port } = await grpc.listen({ host: '127.0.0.1', port: 0 });
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
});

afterEach(async () => {
  client.close();
  ads[Symbol.dispose]();
  await grpc.shutdown(0);
});

function call(method: string): Stream {
  const identity = (buffer: Buffer) => buffer;
  const stream = client.makeBidiStreamRequest(`/${adsServiceName}/${method}`, identity, identity);
  stream.on('error', () => undefined);
  return stream;
}

function next(stream: Stream): Promise<Buffer> {
  return new Promise((resolve) => stream.once('data', resolve));
}

function failure(stream: Stream): Promise<ServiceError> {
  return new Promise((resolve) => stream.once('error', (error) => resolve(error as ServiceError)));
}

const sotwRequest = (request: object) => Buffer.from(encode('envoy.service.discovery.v3.DiscoveryRequest', request));
const deltaRequest = (request: object) =>
  Buffer.from(encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', request));

describe('ADS over gRPC', () => {
  test('state of the world: subscribe, acknowledge, push', async () => {
    const stream = call('StreamAggregatedResources');
    stream.write(sotwRequest({ node, typeUrl: cluster }));
    const first = decode('envoy.service.discovery.v3.DiscoveryResponse', await next(stream));
    expect(first).toMatchObject({ typeUrl: cluster, controlPlane: { identifier: 'test' } });
    expect(first.resources).toHaveLength(2);
    stream.write(sotwRequest({ typeUrl: cluster, responseNonce: first.nonce, versionInfo: first.versionInfo }));
    const pushed = next(stream);
    ads.configUpdate({ edits: [[cluster, 'c', '1']] });
    expect(decode('envoy.service.discovery.v3.DiscoveryResponse', await pushed).resources).toHaveLength(3);
    stream.cancel();
  });

  test('delta: subscribe, acknowledge, push', async () => {
    const stream = call('DeltaAggregatedResources');
    stream.write(deltaRequest({ node, typeUrl: cluster }));
    const first = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', await next(stream));
    expect(first.resources?.map(({ name }) => name)).toEqual(['a', 'b']);
    stream.write(deltaRequest({ typeUrl: cluster, responseNonce: first.nonce }));
    const pushed = next(stream);
    ads.configUpdate({ edits: [[cluster, 'a', undefined]] });
    expect(decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', await pushed)).toMatchObject({
      removedResources: ['a'],
    });
    expect(ads.clients()).toHaveLength(1);
    stream.cancel();
    while (ads.clients().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('a client that does not read holds up no other', async () => {
    const [stuck, reading] = [call('DeltaAggregatedResources'), call('DeltaAggregatedResources')];
    for (const stream of [stuck, reading]) stream.write(deltaRequest({ node, typeUrl: cluster }));
    stuck.pause();
    const first = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', await next(reading));
    reading.write(deltaRequest({ typeUrl: cluster, responseNonce: first.nonce }));
    const pushed = next(reading);
    ads.configUpdate({ edits: [[cluster, 'b', '2']] });
    expect(decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', await pushed).resources).toHaveLength(1);
    const late = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', await next(stuck.resume()));
    expect(late.resources).toHaveLength(2);
    stuck.cancel();
    reading.cancel();
  });

  test('malformed bytes and rejected clients get their status', async () => {
    const malformed = call('StreamAggregatedResources');
    malformed.write(Buffer.from([0x0a, 0xff]));
    expect(await failure(malformed)).toMatchObject({ code: Status.INVALID_ARGUMENT });
    const identity = (buffer: Buffer) => buffer;
    const metadata = new Metadata();
    metadata.set('authorization', 'Bearer wrong');
    const rejected = client.makeBidiStreamRequest(
      `/${adsServiceName}/DeltaAggregatedResources`,
      identity,
      identity,
      metadata,
    );
    rejected.write(deltaRequest({ node, typeUrl: cluster }));
    expect(await failure(rejected)).toMatchObject({ code: Status.UNAUTHENTICATED, details: 'not from 127.0.0.1' });
  });

  test('the end of the server ends the streams', async () => {
    const stream = call('StreamAggregatedResources');
    stream.write(sotwRequest({ node, typeUrl: cluster }));
    await next(stream);
    ads[Symbol.dispose]();
    expect(await failure(stream)).toMatchObject({ code: Status.UNAVAILABLE });
  });
});
