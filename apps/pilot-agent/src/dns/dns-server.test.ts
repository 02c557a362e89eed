import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createMetricRegistry, type MetricRegistry } from '@kedge/observability';
import { type Answer, decode, type DecodedPacket, encode, type Packet } from 'dns-packet';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { DnsServer, type DnsServerOptions } from './dns-server.ts';
import { registerDnsMetrics } from './metrics.ts';
import { MessageReader, writeMessage } from './tcp-message.ts';
import { type NameServer, Upstream } from './upstream.ts';

/** A name server that gives every name this address, or doesn't answer. */
class FakeNameServer implements AsyncDisposable {
  readonly seen: DecodedPacket[] = [];
  readonly #socket = createSocket('udp4');
  readonly #answer: (query: DecodedPacket) => Packet | undefined;

  constructor(answer: (query: DecodedPacket) => Packet | undefined) {
    this.#answer = answer;
  }

  async listen(): Promise<NameServer> {
    this.#socket.on('message', (message, { port, address }) => {
      const query = decode(message);
      this.seen.push(query);
      const reply = this.#answer(query);
      if (!reply) return;
      this.#socket.send(
        encode({ type: 'response', id: query.id, questions: query.questions, flags: 0x180, ...reply }),
        port,
        address,
      );
    });
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    return { address: '127.0.0.1', port: this.#socket.address().port };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }
}

const always = (address: string) => (query: DecodedPacket) => ({
  answers: [{ type: 'A' as const, name: query.questions?.[0]?.name ?? '', data: address, ttl: 5 }],
});
const silent = () => undefined;

let owned: AsyncDisposableStack;
let registry: MetricRegistry;
beforeEach(() => {
  owned = new AsyncDisposableStack();
  registry = createMetricRegistry();
});
afterEach(() => owned.disposeAsync());

interface Given {
  readonly nameServers?: readonly FakeNameServer[];
  readonly parallel?: boolean;
  readonly more?: Partial<DnsServerOptions>;
}

async function start({ nameServers = [], parallel = false, more = {} }: Given = {}) {
  const servers = await Promise.all(nameServers.map((server) => owned.use(server).listen()));
  const { log } = collectingLogger();
  const upstream = new Upstream({ servers, parallel, timeoutMs: 300, log });
  const scope = { namespace: 'shop', domain: 'svc.cluster.local', search: 'shop.svc.cluster.local' };
  const metrics = registerDnsMetrics(registry);
  const server = new DnsServer({ scope, upstream, answerBeforeTable: false, metrics, log, ...more });
  owned.use(server);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, port };
}

const names = {
  table: {
    'web.shop.svc.cluster.local': {
      registry: 'Kubernetes',
      shortname: 'web',
      namespace: 'shop',
      ips: Array.from({ length: 60 }, (_, index) => `10.0.0.${index + 1}`),
    },
    'one.example': { registry: 'External', ips: ['240.240.0.1'] },
  },
};

type Type = 'A' | 'AAAA' | 'MX';
const queryFor = (name: string, type: Type): Buffer =>
  encode({ type: 'query', id: 99, flags: 0x100, questions: [{ type, name }] });

async function exchangeUdp(port: number, message: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4');
  try {
    socket.send(message, port, '127.0.0.1');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    return answer;
  } finally {
    socket.close();
  }
}
const ask = async (port: number, name: string, type: Type = 'A'): Promise<DecodedPacket & { rcode?: string }> =>
  decode(await exchangeUdp(port, queryFor(name, type)));

async function askTcp(port: number, ...queries: readonly Buffer[]): Promise<readonly DecodedPacket[]> {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve, reject } = Promise.withResolvers<readonly DecodedPacket[]>();
  const answers: DecodedPacket[] = [];
  const reader = new MessageReader((message) => {
    answers.push(decode(message));
    if (answers.length === queries.length) resolve(answers);
  });
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
  socket.on('error', reject);
  // Cut in the middle of a length and of a message.
  const bytes = Buffer.concat(queries.map(writeMessage));
  socket.write(bytes.subarray(0, 1));
  await sleep(5);
  socket.write(bytes.subarray(1, 9));
  await sleep(5);
  socket.write(bytes.subarray(9));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

const data = (answers: readonly Answer[] = []) => answers.map((answer) => ('data' in answer ? answer.data : undefined));

test('names of the mesh are answered, others by a name server', async () => {
  const nameServer = new FakeNameServer(always('192.0.2.1'));
  const { server, port } = await start({ nameServers: [nameServer] });
  server.update(names);
  expect(data((await ask(port, 'one.example')).answers)).toEqual(['240.240.0.1']);
  expect(nameServer.seen).toEqual([]);
  const foreign = await ask(port, 'other.example');
  expect(foreign).toMatchObject({ id: 99, flag_aa: false });
  expect(data(foreign.answers)).toEqual(['192.0.2.1']);
  expect(nameServer.seen.map(({ questions }) => questions?.[0]?.name)).toEqual(['other.example']);
  // Types that the mesh doesn't know of are asked of others, whatever the name.
  await ask(port, 'one.example', 'MX');
  expect(nameServer.seen).toHaveLength(2);
  const text = await registry.text();
  expect(text).toContain('istio_agent_dns_requests_total 3');
  expect(text).toContain('istio_agent_dns_upstream_requests_total 2');
  expect(text).toContain('istio_agent_dns_upstream_request_duration_seconds_count 2');
});

test('a known name without an address of the family is no error', async () => {
  const { server, port } = await start();
  server.update(names);
  expect(await ask(port, 'one.example', 'AAAA')).toMatchObject({ rcode: 'NOERROR', answers: [], flag_aa: true });
});

test("an unknown name is the name servers' to deny", async () => {
  const nameServer = new FakeNameServer(() => ({ flags: 0x183 }));
  const { server, port } = await start({ nameServers: [nameServer] });
  server.update(names);
  expect(await ask(port, 'nobody.example')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] });
});

test('with the search domain, a name is an alias', async () => {
  const { server, port } = await start();
  server.update(names);
  const { answers } = await ask(port, 'one.example.shop.svc.cluster.local');
  expect(answers).toMatchObject([
    { type: 'CNAME', data: 'one.example' },
    { type: 'A', name: 'one.example', data: '240.240.0.1', ttl: 30 },
  ]);
});

test('many addresses are cut over UDP, whole over TCP, and in another order each time', async () => {
  const { server, port } = await start();
  server.update(names);
  const cut = await ask(port, 'web');
  expect(cut.flag_tc).toBe(true);
  expect(cut.answers?.length).toBeGreaterThan(20);
  const query = queryFor('web', 'A');
  const whole = await askTcp(port, query, query, query);
  expect(whole.map(({ answers }) => answers?.length)).toEqual([60, 60, 60]);
  expect(new Set(whole.map(({ answers }) => JSON.stringify(answers))).size).toBe(3);
});

test('to a client that takes more than a datagram carries, as much is sent as it does', async () => {
  const { server, port } = await start();
  const ips = Array.from({ length: 6000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
  server.update({ table: { 'many.example': { registry: 'External', ips } } });
  const question = { type: 'A', name: 'many.example' } as const;
  const edns = {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize: 65_535,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  const bytes = await exchangeUdp(port, encode({ type: 'query', id: 1, questions: [question], additionals: [edns] }));
  expect(decode(bytes).flag_tc).toBe(true);
  expect(bytes.length).toBeGreaterThan(65_000);
});

test('before the names are known there is no answer, unless the host has no other way', async () => {
  const nameServer = new FakeNameServer(always('192.0.2.1'));
  const closed = await start({ nameServers: [nameServer] });
  expect(await ask(closed.port, 'other.example')).toMatchObject({ rcode: 'SERVFAIL' });
  registry = createMetricRegistry();
  const open = await start({
    nameServers: [new FakeNameServer(always('192.0.2.1'))],
    more: { answerBeforeTable: true },
  });
  expect(data((await ask(open.port, 'other.example')).answers)).toEqual(['192.0.2.1']);
});

test.each([true, false])('a name server that is silent is passed by (in parallel: %s)', async (parallel) => {
  const nameServers = [new FakeNameServer(silent), new FakeNameServer(always('192.0.2.1'))];
  const { server, port } = await start({ nameServers, parallel });
  server.update(names);
  for (const name of ['a.example', 'b.example', 'c.example']) {
    expect(data((await ask(port, name)).answers)).toEqual(['192.0.2.1']);
  }
  // One after the other starts at random, so some requests are spared the first.
  if (parallel) expect(nameServers.map(({ seen }) => seen.length)).toEqual([3, 3]);
});

test.each([true, false])('without an answer it says so (in parallel: %s)', async (parallel) => {
  const { server, port } = await start({ nameServers: [new FakeNameServer(silent)], parallel });
  server.update(names);
  expect(await ask(port, 'other.example')).toMatchObject({ rcode: 'SERVFAIL', id: 99 });
  expect(await registry.text()).toContain('istio_agent_dns_upstream_failures_total 1');
});

test('answers to other requests are no answers', async () => {
  const forger = new FakeNameServer((query) => ({ id: (query.id ?? 0) ^ 1, ...always('6.6.6.6')(query) }));
  const { server, port } = await start({ nameServers: [forger] });
  server.update(names);
  expect(await ask(port, 'other.example')).toMatchObject({ rcode: 'SERVFAIL', answers: [] });
});

test('garbage over TCP and UDP leaves it working, and it leaves nothing behind', async () => {
  const { server, port } = await start();
  server.update(names);
  const socket = connect(port, '127.0.0.1');
  socket.write(Buffer.from([0, 3, 1, 2, 3, 255, 255, 9]));
  const udp = createSocket('udp4');
  for (let length = 0; length < 40; length++) udp.send(Buffer.alloc(length, length), port, '127.0.0.1');
  expect(data((await ask(port, 'one.example')).answers)).toEqual(['240.240.0.1']);
  udp.close();
  const closed = once(socket, 'close');
  await server[Symbol.asyncDispose]();
  await closed;
});

test.each([['udp'], ['tcp']])('it ends while a request over %s waits for a name server', async (protocol) => {
  const nameServer = new FakeNameServer(silent);
  const { server, port } = await start({ nameServers: [nameServer] });
  server.update(names);
  const query = queryFor('other.example', 'A');
  const client = protocol === 'udp' ? createSocket('udp4') : connect(port, '127.0.0.1');
  if (client instanceof Socket) client.on('error', () => undefined).write(writeMessage(query));
  else client.send(query, port, '127.0.0.1');
  const requests = async () => /istio_agent_dns_upstream_requests_total (\d+)/.exec(await registry.text())?.[1];
  while ((await requests()) !== '1') await sleep(5);
  await server[Symbol.asyncDispose]();
  // An answer that can't be sent would show as an error of this test.
  await sleep(20);
  expect(await registry.text()).toContain('istio_agent_dns_upstream_failures_total 1');
  if (client instanceof Socket) client.destroy();
  else client.close();
});

test('over TCP, name servers are asked over TCP, and an answer may be long', async () => {
  const addresses = Array.from({ length: 200 }, (_, index) => `192.0.2.${index}`);
  const nameServer = createServer((socket) => {
    const reader = new MessageReader((message) => {
      const { id, questions } = decode(message);
      const answers = addresses.map((data) => ({ type: 'A', name: 'other.example', data, ttl: 5 }) as const);
      socket.write(writeMessage(encode({ type: 'response', id, questions, answers })));
    });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
  });
  owned.defer(() => void nameServer.close());
  await once(nameServer.listen(0, '127.0.0.1'), 'listening');
  const { log } = collectingLogger();
  const servers = [{ address: '127.0.0.1', port: (nameServer.address() as AddressInfo).port }];
  const upstream = new Upstream({ servers, parallel: false, timeoutMs: 1000, log });
  const { server, port } = await start({ more: { upstream } });
  server.update(names);
  const [answer] = await askTcp(port, queryFor('other.example', 'A'));
  expect(data(answer?.answers)).toEqual(addresses);
});

test('a port that is taken is refused', async () => {
  const { server, port } = await start();
  await expect(server.listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
});
