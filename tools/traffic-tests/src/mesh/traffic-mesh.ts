import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlaneProcess, freePorts, Proxy } from '@kedge/testbed';
import type { Place } from '../client.ts';
import { type HttpEcho, startHttpEcho } from '../echo/http-echo.ts';
import type { ListeningServer } from '../echo/listen.ts';
import { startTcpEcho, startTlsEcho } from '../echo/stream-echo.ts';
import { fileOf, gateway, type MeshObject, NAMESPACE, plainText, sidecar } from './objects.ts';

/** The versions that every service of the tests has, one server each, with the region that each is in. */
export const versions = { v1: 'east', v2: 'west', v3: 'west' } as const;
export type Version = keyof typeof versions;
type Servers<S> = Readonly<Record<Version, S>>;

export interface Upstreams {
  readonly http: Servers<HttpEcho>;
  readonly tcp: Servers<ListeningServer>;
  readonly tls: Servers<ListeningServer>;
  /** Outside of the mesh. */
  readonly external: HttpEcho;
}

/** Where the sidecar of the client, and the gateway, are called. */
export interface Entrances {
  readonly http: Place;
  readonly tcp: Place;
  readonly tls: Place;
  readonly gateway: Place;
}

export interface TrafficMesh {
  readonly upstreams: Upstreams;
  readonly entrances: Entrances;
  readonly controlPlane: ControlPlaneProcess;
  readonly proxies: readonly Proxy[];
}

const CLIENT_ADDRESS = '127.0.0.2';

/**
 * Echo servers, a control plane on a folder with the objects, and two stock Envoys: the sidecar of a client, in the region
 * east, whose listeners are bound to its own address, and a gateway. Ready to be used.
 */
export async function startTrafficMesh(
  objectsOf: (upstreams: Upstreams, entrances: Entrances) => readonly MeshObject[],
  owned: AsyncDisposableStack,
): Promise<TrafficMesh> {
  const envoy = process.env['ENVOY_BIN'] ?? '';
  if (!envoy) throw new Error('ENVOY_BIN is not set');
  const dir = await mkdtemp(join(tmpdir(), 'traffic-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  const upstreams = await startUpstreams(owned);
  const entrances = await chooseEntrances();
  const configDir = join(dir, 'config');
  await mkdir(configDir);
  const objects = [plainText, clientSidecar(entrances), edge(entrances), ...objectsOf(upstreams, entrances)];
  await writeFile(join(configDir, 'mesh.yaml'), fileOf(objects));
  const controlPlane = owned.use(await ControlPlaneProcess.start({ configDir, dir }));
  const common = { namespace: NAMESPACE, discoveryPort: controlPlane.ports.grpc, envoy, dir };
  const locality = { 'istio-locality': 'east.e1' };
  const proxies = [
    owned.use(
      await Proxy.start({
        ...common,
        ...{ name: 'client', kind: 'sidecar', address: CLIENT_ADDRESS, labels: { app: 'client', ...locality } },
      }),
    ),
    owned.use(
      await Proxy.start({
        ...common,
        ...{ name: 'edge', kind: 'router', address: '127.0.0.1', labels: { app: 'edge', ...locality } },
      }),
    ),
  ];
  await Promise.all(proxies.map((proxy) => proxy.ready()));
  return { upstreams, entrances, controlPlane, proxies };
}

async function startUpstreams(owned: AsyncDisposableStack): Promise<Upstreams> {
  const each = async <S extends Disposable>(
    start: (name: string, address: string) => Promise<S>,
  ): Promise<Servers<S>> => ({
    v1: owned.use(await start('v1', '127.0.0.21')),
    v2: owned.use(await start('v2', '127.0.0.22')),
    v3: owned.use(await start('v3', '127.0.0.23')),
  });
  return {
    http: await each(startHttpEcho),
    tcp: await each(startTcpEcho),
    tls: await each(startTlsEcho),
    external: owned.use(await startHttpEcho('external', '127.0.0.1')),
  };
}

async function chooseEntrances(): Promise<Entrances> {
  const [http = 0, tcp = 0, tls = 0, edgePort = 0] = await freePorts(4);
  const at = (port: number): Place => ({ address: CLIENT_ADDRESS, port });
  return { http: at(http), tcp: at(tcp), tls: at(tls), gateway: { address: '127.0.0.1', port: edgePort } };
}

/** Nothing is redirected: the client calls the listeners of its sidecar, which knows registered hosts alone. */
function clientSidecar({ http, tcp, tls }: Entrances): MeshObject {
  const egress = (name: string, { address, port }: Place) => ({
    port: { name, number: port, protocol: name.toUpperCase() },
    bind: address,
    captureMode: 'NONE',
    hosts: ['./*'],
  });
  return sidecar('client', {
    workloadSelector: { labels: { app: 'client' } },
    outboundTrafficPolicy: { mode: 'REGISTRY_ONLY' },
    egress: [egress('http', http), egress('tcp', tcp), egress('tls', tls)],
  });
}

function edge({ gateway: { address, port } }: Entrances): MeshObject {
  return gateway('edge', {
    selector: { app: 'edge' },
    servers: [{ port: { name: 'http', number: port, protocol: 'HTTP' }, bind: address, hosts: ['*'] }],
  });
}
