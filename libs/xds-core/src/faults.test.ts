import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { decode, type DeltaDiscoveryRequest, encode } from '@kedge/envoy-api';
import { GrpcServer } from '@kedge/grpc-server';
import { DiscoveryServer } from './discovery-server.ts';
import { adsMethods, adsServiceName } from './grpc-service.ts';
import { type Contents, contentOf, edited, testGenerators, type TestClient } from './testing/mesh.ts';
import type { TestRequest, TestSnapshot } from './testing/mesh.ts';
import { TypeUrl } from './type-urls.ts';

/*
 * What goes wrong with some clients, over real connections. Beside them a bystander is served, which must lose nothing and
 * wait for nobody.
 */

jest.setTimeout(240_000);

const { cluster, endpoint } = TypeUrl;
const nodeOf = (id: string) => ({ id: `sidecar~10.0.0.1~${id}.default~default.svc.cluster.local` });
const MAX_RECEIVE_BYTES = 100_000;
const ACK_TIMEOUT_MS = 200;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let ads: DiscoveryServer<TestSnapshot, TestClient, TestRequest>;
let grpc: GrpcServer;
let port: number;
let bystander: Client;
const sessions = new Set<ClientHttp2Session>();

beforeEach(async () => {
  ads = new DiscoveryServer<TestSnapshot, TestClient, TestRequest>({
    initialSnapshot: { [cluster]: { a: '1', b: '1' } },
    nextSnapshot: edited,
    mergeRequests: (earlier, later) => ({ edits: [...earlier.edits, ...later.edits] }),
    connect: ({ id = '' }) => ({ kind: 'accepted', client: { node: id }, nodeType: 'sidecar' }),
    needsPush: () => 'all',
    generators: testGenerators(),
    debounce: { afterMs: 1 },
    ackTimeoutMs: ACK_TIMEOUT_MS,
  });
  grpc = new GrpcServer({
    maxReceiveBytes: MAX_RECEIVE_BYTES,
    keepalive: { intervalMs: 300, timeoutMs: 300 },
  }).addService(adsServiceName, adsMethods(ads));
  ({ port } = await grpc.listen({ host: '127.0.0.1', port: 0 }));
  bystander = new Client('bystander', session());
  bystander.subscribe(cluster);
  await until(() => bystander.contents['b'] === '1');
});

afterEach(async () => {
  for (const one of sessions) one.destroy();
  sessions.clear();
  ads[Symbol.dispose]();
  await grpc.shutdown(0);
});

function session(to = port): ClientHttp2Session {
  const made = connectHttp2(`http://127.0.0.1:${to}`);
  made.on('error', () => undefined);
  sessions.add(made);
  return made;
}

/** A delta client over HTTP/2 by hand, so that it can misbehave. */
class Client {
  readonly stream: ClientHttp2Stream;
  readonly #held = new Map<string, string>();
  readonly #id: string;
  #isIntroduced = false;
  #rest = Buffer.alloc(0);
  /** Responses that came. */
  received = 0;
  status: string | undefined;

  constructor(id: string, over: ClientHttp2Session, { acks = true, reads = true } = {}) {
    this.#id = id;
    this.stream = over.request({
      ':method': 'POST',
      ':path': `/${adsServiceName}/DeltaAggregatedResources`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const ended = (headers: object): void => {
      if ('grpc-status' in headers) this.status = String(headers['grpc-status']);
    };
    this.stream.on('error', () => undefined);
    this.stream.on('response', ended).on('trailers', ended);
    if (reads) this.stream.on('data', (chunk: Buffer) => this.#take(chunk, acks));
  }

  get contents(): Contents {
    return Object.fromEntries(this.#held);
  }

  subscribe(typeUrl: string, names: readonly string[] = []): void {
    this.send({ typeUrl, resourceNamesSubscribe: names });
  }

  send(request: DeltaDiscoveryRequest): void {
    const node = this.#isIntroduced ? {} : { node: nodeOf(this.#id) };
    this.#isIntroduced = true;
    this.sendBytes(encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', { ...node, ...request }));
  }

  sendBytes(message: Uint8Array): void {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    this.stream.write(Buffer.concat([head, message]));
  }

  #take(chunk: Buffer, acks: boolean): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 5 && this.#rest.length >= 5 + this.#rest.readUInt32BE(1)) {
      const size = this.#rest.readUInt32BE(1);
      const bytes = this.#rest.subarray(5, 5 + size);
      this.#rest = this.#rest.subarray(5 + size);
      const {
        typeUrl,
        nonce,
        resources = [],
        removedResources = [],
      } = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes);
      this.received += 1;
      for (const { name = '', resource } of resources) this.#held.set(name, contentOf(resource).content);
      for (const name of removedResources) this.#held.delete(name);
      if (acks) this.send({ typeUrl, responseNonce: nonce });
    }
  }
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Changes a content again and again; the bystander sees each change. */
async function push(times: number, content: (at: number) => string, name = 'a'): Promise<void> {
  for (let at = 0; at < times; at++) {
    const value = content(at);
    ads.configUpdate({ edits: [[cluster, name, value]] });
    await until(() => bystander.contents[name] === value);
  }
}

/** What is held, save the bodies that are kept for further connections up to a limit. */
async function megabytes(): Promise<number> {
  // What was looked at by a weak reference stays for the turn.
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external - ads.counters().bodyBytes) / 2 ** 20;
}

test('clients that never read cost bounded memory, which comes back when they go', async () => {
  const large = (at: number): string => `${at} ${randomBytes(512 * 1024).toString('hex')}`;
  const remaining: number[] = [];
  for (let cycle = 0; cycle < 5; cycle++) {
    await push(3, large);
    const before = await megabytes();
    remaining.push(before);
    const ways = Array.from({ length: 10 }, () => session());
    for (const [at, way] of ways.entries()) new Client(`stuck-${at}`, way, { reads: false }).subscribe(cluster);
    await until(() => ads.clients().length === 11);
    await push(20, large);
    // Each could wait for 20 MiB by now, and all of them for 200.
    expect((await megabytes()) - before).toBeLessThan(30);
    for (const way of ways) {
      way.destroy();
      sessions.delete(way);
    }
    await until(() => ads.clients().length === 1);
  }
  // The first cycle warms up what is kept for whoever comes next.
  const [, second = 0, , , last = 0] = remaining;
  expect(last - second).toBeLessThan(3);
});

test('a client that reads again catches up in one step', async () => {
  const stuck = new Client('stuck', session(), { reads: false });
  stuck.subscribe(cluster);
  await until(() => ads.clients().length === 2);
  await push(20, (at) => `${at} ${'x'.repeat(200_000)}`);
  const late = new Client('late', session());
  late.subscribe(cluster);
  await until(() => late.contents['b'] === '1');
  expect(late.contents).toEqual(bystander.contents);
  expect(late.received).toBe(1);
});

test('a client that never acknowledges gets one answer a time-out, and keeps nobody waiting', async () => {
  const silent = new Client('silent', session(), { acks: false });
  silent.subscribe(cluster);
  await until(() => silent.received === 1);
  const start = Date.now();
  await push(30, (at) => `${at}`, 'b');
  const timeouts = Math.ceil((Date.now() - start) / ACK_TIMEOUT_MS);
  expect(silent.received).toBeLessThanOrEqual(1 + timeouts);
  await until(() => silent.contents['b'] === '29');
});

/** A way to the server that can be cut, so that neither end hears of it. */
async function relay(): Promise<{ readonly port: number; cut(): void; close(): void }> {
  const ends: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    ends.push(near, far);
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => ends.forEach((end) => end.unpipe().pause()),
    close: () => {
      for (const end of ends) end.destroy();
      server.close();
    },
  };
}

test('connections whose other end is gone are found out and closed', async () => {
  const way = await relay();
  const client = new Client('gone', session(way.port));
  client.subscribe(cluster);
  await until(() => client.received === 1);
  way.cut();
  // Others never get beyond opening a connection, or a stream.
  const mute = connect(port, '127.0.0.1');
  new Client('mute', session());
  await push(5, (at) => `${at}`);
  expect(client.received).toBe(1);
  await until(() => ads.clients().length === 1);
  mute.destroy();
  way.close();
});

test('a thousand clients that come back at once are all served, from what they have', async () => {
  const many = Array.from({ length: 1000 }, (_, at) => `client-${at}`);
  const connectAll = (initialResourceVersions: Readonly<Record<string, string>>): readonly Client[] => {
    const shared = Array.from({ length: 50 }, () => session());
    return many.map((id, at) => {
      const client = new Client(id, shared[at % shared.length] as ClientHttp2Session);
      client.send({ typeUrl: cluster, initialResourceVersions });
      return client;
    });
  };
  const versions = Object.fromEntries((ads.clients()[0]?.watched[0]?.answer.resources ?? []).map(({ name, version }) => [name, version])); // prettier-ignore
  const first = connectAll({});
  await until(() => first.every(({ contents }) => contents['b'] === '1'));
  for (const one of sessions) if (one !== bystander.stream.session) one.destroy();
  await until(() => ads.clients().length === 1);
  const again = connectAll({ b: versions['b'] ?? '' });
  await push(5, (at) => `${at}`);
  await until(() => again.every(({ contents }) => contents['a'] === '4'));
  // What they brought along isn't sent again.
  expect(again.filter(({ contents }) => 'b' in contents)).toEqual([]);
});

test('a flood of subscriptions is worked off beside everybody else', async () => {
  const greedy = new Client('greedy', session());
  for (let at = 0; at < 3000; at++) greedy.subscribe(endpoint, [`x-${at}`]);
  for (let at = 0; at < 3000; at++) {
    greedy.send({ typeUrl: endpoint, resourceNamesUnsubscribe: [`x-${at}`], resourceNamesSubscribe: [`y-${at % 7}`] });
  }
  await push(5, (at) => `${at}`);
  greedy.subscribe(cluster);
  await until(() => greedy.contents['a'] === '4');
  const watched = ads.clients().find(({ client }) => client.node.includes('greedy'))?.watched;
  await until(() => watched?.find(({ typeUrl }) => typeUrl === endpoint)?.names.length === 7);
});

test.each<[string, (client: Client) => void, string]>([
  ['larger than allowed', (client) => client.sendBytes(Buffer.alloc(MAX_RECEIVE_BYTES + 1)), '8'],
  ['no message', (client) => client.sendBytes(Buffer.from([0x0a, 0xff])), '3'],
  ['without a node', (client) => client.sendBytes(encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', {})), '3'],
])('a request that is %s ends its stream, and no other', async (_, misbehave, status) => {
  const client = new Client('broken', session());
  misbehave(client);
  await until(() => client.status !== undefined);
  expect(client.status).toBe(status);
  await push(3, (at) => `${at}`);
  expect(bystander.status).toBeUndefined();
});

test('requests that mean nothing are passed over', async () => {
  const client = new Client('odd', session());
  client.send({ typeUrl: 'no such type' });
  client.send({ typeUrl: cluster, responseNonce: 'nobody gave it' });
  client.send({ resourceNamesUnsubscribe: ['x'] });
  client.send({ typeUrl: cluster, resourceNamesSubscribe: ['', '*', '*', '\u0000'] });
  client.send({ typeUrl: cluster, errorDetail: { code: 13, message: 'refused what never came' } });
  await push(3, (at) => `${at}`);
  client.subscribe(cluster, ['b']);
  await until(() => client.contents['b'] === '1');
});
