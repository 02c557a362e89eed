import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GrpcServer } from '@kedge/grpc-server';
import { Child, EnvoyAdmin, freePorts, until } from '@kedge/testbed';
import { DiscoveryServer } from './discovery-server.ts';
import type { Protocol, XdsEvent } from './events.ts';
import { adsMethods, adsServiceName } from './grpc-service.ts';
import { LastAccepted } from './refusals/last-accepted.ts';
import { type EnvoyMesh, envoyGenerators } from './testing/envoy-mesh.ts';

const binary = process.env['ENVOY_BIN'] ?? '';
if (!binary) throw new Error('ENVOY_BIN is not set');

/** Far below the time after which Envoy no longer waits for what it lacks (15 s). */
const quick = { timeoutMs: 5_000 };

type Change = (mesh: EnvoyMesh) => EnvoyMesh;

/** A control plane whose port stays the same when it is started anew. */
class ControlPlane {
  readonly events: XdsEvent<object, Change>[] = [];
  readonly refusals = new LastAccepted<object>({
    classOf: () => 'envoy',
    mustNotRevert: () => false,
    reconsider: () => this.change((mesh) => mesh),
    now: Date.now,
  });
  readonly #port: number;
  #mesh: EnvoyMesh;
  #ads: DiscoveryServer<EnvoyMesh, object, Change> | undefined;
  #grpc: GrpcServer | undefined;

  constructor(port: number, mesh: EnvoyMesh) {
    this.#port = port;
    this.#mesh = mesh;
  }

  async start(): Promise<void> {
    const ads = new DiscoveryServer<EnvoyMesh, object, Change>({
      initialSnapshot: this.#mesh,
      nextSnapshot: (mesh, change) => (this.#mesh = change(mesh)),
      mergeRequests: (earlier, later) => (mesh) => later(earlier(mesh)),
      connect: () => ({ kind: 'accepted', client: {}, nodeType: 'sidecar' }),
      needsPush: () => 'all',
      generators: envoyGenerators(),
      refusals: this.refusals,
      debounce: { afterMs: 10 },
      observe: (event) => void this.events.push(event),
    });
    this.#ads = ads;
    this.#grpc = new GrpcServer().addService(adsServiceName, adsMethods(ads));
    await this.#grpc.listen({ host: '127.0.0.1', port: this.#port });
  }

  async stop(): Promise<void> {
    this.#ads?.[Symbol.dispose]();
    this.#ads = undefined;
    await this.#grpc?.shutdown(0);
  }

  change(change: Change): void {
    if (this.#ads === undefined) this.#mesh = change(this.#mesh);
    else this.#ads.configUpdate(change);
  }

  /** Whether Envoy has accepted everything that it was sent. */
  get settled(): boolean {
    const watches = this.#ads?.clients().flatMap(({ watched }) => watched) ?? [];
    return watches.length >= 4 && watches.every(({ nonceSent, nonceAcked }) => nonceSent === nonceAcked);
  }

  count(kind: XdsEvent<object, Change>['kind']): number {
    return this.events.filter((event) => event.kind === kind).length;
  }
}

/** Sends requests without pause, and counts what is answered by whom. */
class Load {
  readonly answers = new Map<string, number>();
  readonly failures: string[] = [];
  #on = true;
  readonly #done: Promise<void>;

  constructor(port: number) {
    this.#done = this.#run(`http://127.0.0.1:${port}/`);
  }

  async stop(): Promise<void> {
    this.#on = false;
    await this.#done;
  }

  async #run(url: string): Promise<void> {
    while (this.#on) {
      const response = await fetch(url).catch((error: unknown) => new Response(String(error), { status: 599 }));
      const text = await response.text();
      if (response.ok) this.answers.set(text, (this.answers.get(text) ?? 0) + 1);
      else this.failures.push(`${response.status} ${text}`);
      await sleep(1);
    }
  }
}

async function upstream(port: number, name: string): Promise<Server> {
  const server = createServer((_, response) => response.end(name));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

function bootstrap(protocol: Protocol, xdsPort: number, adminPort: number): string {
  const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  const endpoint = { lb_endpoints: [{ endpoint: { address: address(xdsPort) } }] };
  const http2 = { '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions' };
  return JSON.stringify({
    node: { id: 'sidecar~127.0.0.1~a.default~default.svc.cluster.local', cluster: 'a' },
    admin: { address: address(adminPort) },
    dynamic_resources: {
      ads_config: {
        api_type: protocol === 'delta' ? 'DELTA_GRPC' : 'GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds' } }],
      },
      cds_config: { ads: {}, resource_api_version: 'V3' },
      lds_config: { ads: {}, resource_api_version: 'V3' },
    },
    static_resources: {
      clusters: [
        {
          name: 'xds',
          connect_timeout: '1s',
          load_assignment: { cluster_name: 'xds', endpoints: [endpoint] },
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              ...http2,
              explicit_http_config: { http2_protocol_options: {} },
            },
          },
        },
      ],
    },
  });
}

describe.each(['delta', 'sotw'] as const)('Envoy by %s', (protocol) => {
  let dir: string;
  let envoy: Child;
  let admin: EnvoyAdmin;
  let control: ControlPlane;
  let upstreams: readonly Server[];
  let ports: { readonly listener: number; readonly a: number; readonly b: number };

  beforeEach(async () => {
    const [xds, adminPort, listener, a, b] = (await freePorts(5)) as [number, number, number, number, number];
    ports = { listener, a, b };
    upstreams = [await upstream(a, 'a'), await upstream(b, 'b')];
    control = new ControlPlane(xds, {
      listenerPort: listener,
      clusters: { a: { port: a, connectTimeout: '1s' } },
      routeTo: 'a',
      statPrefix: 'one',
    });
    await control.start();
    dir = await mkdtemp(join(tmpdir(), 'xds-core-'));
    const config = join(dir, 'envoy.json');
    await writeFile(config, bootstrap(protocol, xds, adminPort));
    envoy = new Child({
      name: 'envoy',
      command: [binary, '-c', config, '--concurrency', '1', '--use-dynamic-base-id', '-l', 'warn'],
    });
    admin = new EnvoyAdmin(adminPort);
    await Promise.race([until('the first answer', () => answersBy('a')), envoy.unexpectedEnd()]);
    await until('acceptance', () => control.settled);
  });

  afterEach(async () => {
    await envoy.stop();
    await control.stop();
    for (const server of upstreams) server.close();
    await rm(dir, { recursive: true });
  });

  async function answersBy(name: string): Promise<boolean> {
    return (await (await fetch(`http://127.0.0.1:${ports.listener}/`)).text()) === name;
  }

  async function expectNothingWarming(): Promise<void> {
    await until('acceptance', () => control.settled);
    expect(await admin.stat('cluster_manager.warming_clusters')).toBe(0);
    const dump = await admin.configDump();
    expect([...dump.clusters.warming.keys(), ...dump.listeners.warming.keys()]).toEqual([]);
    expect(control.count('nack')).toBe(0);
  }

  test('a changed cluster takes effect though its endpoints are the same', async () => {
    control.change((mesh) => ({ ...mesh, clusters: { a: { port: ports.a, connectTimeout: '2s' } } }));
    await until(
      'the new value',
      async () => {
        const cluster = (await admin.configDump()).clusters.active.get('a') as { connect_timeout?: string };
        return cluster.connect_timeout === '2s';
      },
      quick,
    );
    await expectNothingWarming();
  });

  test('a changed listener takes effect though its routes are the same', async () => {
    control.change((mesh) => ({ ...mesh, statPrefix: 'two' }));
    await until(
      'the new value',
      async () => JSON.stringify((await admin.configDump()).listeners.active.get('main')).includes('"two"'),
      quick,
    );
    await expectNothingWarming();
  });

  test('traffic moves to a new cluster, and the old one goes, without a failed request', async () => {
    const load = new Load(ports.listener);
    for (const [name, former] of [
      ['b', 'a'],
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const before = load.answers.get(name) ?? 0;
      const clusters = { [name]: { port: ports[name], connectTimeout: '1s' } };
      control.change((mesh) => ({ ...mesh, clusters, routeTo: name }));
      await until(`answers by ${name}`, () => (load.answers.get(name) ?? 0) > before);
      await until('the end of the old one', async () => !(await admin.configDump()).clusters.active.has(former));
    }
    await load.stop();
    expect(load.failures).toEqual([]);
    await expectNothingWarming();
  });

  test('a restart of the control plane costs no request, and what changed meanwhile arrives', async () => {
    const load = new Load(ports.listener);
    await control.stop();
    await control.start();
    await until('reconnection', () => control.count('opened') === 2, { timeoutMs: 40_000 });
    await until('acceptance', () => control.settled);
    await control.stop();
    const b = { port: ports.b, connectTimeout: '1s' };
    // By state of the world a new server cannot know what else the client has, and so not keep it a while.
    const kept = (mesh: EnvoyMesh) => (protocol === 'sotw' ? mesh.clusters : {});
    control.change((mesh) => ({ ...mesh, clusters: { ...kept(mesh), b }, routeTo: 'b' }));
    await control.start();
    await until('answers by b', () => answersBy('b'), { timeoutMs: 40_000 });
    await until('acceptance', () => control.settled);
    await until('the clusters', async () => {
      const { active } = (await admin.configDump()).clusters;
      return active.has('b') && active.has('a') === (protocol === 'sotw');
    });
    await load.stop();
    expect(load.failures).toEqual([]);
    await expectNothingWarming();
  });

  test('what Envoy refuses is reported, and the rest goes on', async () => {
    const broken = { port: ports.b, connectTimeout: '-1s' };
    control.change((mesh) => ({ ...mesh, clusters: { ...mesh.clusters, broken } }));
    await until('the refusal', () => control.count('nack') === 1);
    control.change((mesh) => ({ ...mesh, statPrefix: 'two' }));
    await until('the new listener', async () =>
      JSON.stringify((await admin.configDump()).listeners.active.get('main')).includes('"two"'),
    );
    expect(await answersBy('a')).toBe(true);
    control.change((mesh) => ({ ...mesh, clusters: { a: { port: ports.a, connectTimeout: '3s' } } }));
    await until('acceptance', () => control.settled);
    expect(control.count('nack')).toBe(1);
  });

  test('what Envoy refuses falls back; what came with it is taken, and it itself once it is mended', async () => {
    const b = { port: ports.b, connectTimeout: '1s' };
    control.change((mesh) => ({
      ...mesh,
      clusters: { a: { port: ports.a, connectTimeout: '-1s' }, b, broken: { ...b, connectTimeout: '-1s' } },
      routeTo: 'b',
    }));
    await until('answers by b', () => answersBy('b'));
    await until('acceptance', () => control.settled);
    const timeouts = async () =>
      [...(await admin.configDump()).clusters.active].map(([name, cluster]) => [
        name,
        (cluster as { connect_timeout?: string }).connect_timeout,
      ]);
    expect(await timeouts()).toEqual(
      expect.arrayContaining([
        ['a', '1s'],
        ['b', '1s'],
      ]),
    );
    const suspects = control.refusals.list().map(({ name, convicted }) => [name, convicted]);
    expect(suspects.sort()).toEqual([
      ['a', true],
      ['broken', true],
    ]);
    control.change((mesh) => ({ ...mesh, clusters: { a: { port: ports.a, connectTimeout: '2s' }, b } }));
    await until('the mended one', async () =>
      (await timeouts()).some(([name, value]) => name === 'a' && value === '2s'),
    );
    expect(control.refusals.list()).toEqual([]);
  });
});
