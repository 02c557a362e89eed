import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeAny, parse } from '@kedge/envoy-api';
import { type Config, parseConfigFile } from '@kedge/model';
import type { EncodedResource } from '@kedge/networking';
import { readScenario, renderProxy } from '@kedge/render';
import { type ConfigDump, freePorts, Proxy, type ProxyOptions, until } from '@kedge/testbed';
import { LivePlane } from './live-plane.ts';
import { type MeshGenerators, meshGenerators } from '../xds/mesh-generators.ts';

type Protocol = NonNullable<ProxyOptions['protocol']>;

interface Ports {
  readonly gateway: number;
  /** Of the service, and of the sidecar's egress listener. */
  readonly service: number;
  readonly ingress: number;
  /** Of the application behind the service, in this process. */
  readonly application: number;
}

const envoy = process.env['ENVOY_BIN'] ?? '';
const proxies = [
  { name: 'gateway', kind: 'router', address: '127.0.0.1', labels: { istio: 'ingressgateway' } },
  { name: 'client', kind: 'sidecar', address: '127.0.0.2', labels: { app: 'client' } },
] as const;

/** None of a proxy's, for a workload at a proxy's address would be that proxy. */
const APPLICATION_ADDRESS = '127.0.0.9';

export const HOST = 'api.example.com';

/** A control plane in this process, and a gateway and a sidecar that lead to one application. */
export class EnvoyWorld implements AsyncDisposable {
  readonly proxies: readonly Proxy[];
  readonly generators: MeshGenerators;
  readonly ports: Ports;
  readonly #owned: AsyncDisposableStack;
  #server: LivePlane;

  private constructor(parts: {
    readonly proxies: readonly Proxy[];
    readonly generators: MeshGenerators;
    readonly ports: Ports;
    readonly owned: AsyncDisposableStack;
    readonly server: LivePlane;
  }) {
    this.proxies = parts.proxies;
    this.generators = parts.generators;
    this.ports = parts.ports;
    this.#owned = parts.owned;
    this.#server = parts.server;
  }

  /** Starts all of it and waits until the proxies serve. */
  static async start(protocol: Protocol): Promise<EnvoyWorld> {
    if (!envoy) throw new Error('ENVOY_BIN is not set');
    await using starting = new AsyncDisposableStack();
    const dir = await mkdtemp(join(tmpdir(), 'envoy-world-'));
    starting.defer(() => rm(dir, { recursive: true, force: true }));
    const application = await startApplication();
    starting.defer(() => void application.close().closeAllConnections());
    const [gateway = 0, service = 0, ingress = 0] = await freePorts(3);
    const ports = { gateway, service, ingress, application: (application.address() as AddressInfo).port };
    const generators = meshGenerators();
    const server = await startPlane(generators, baseObjects(ports));
    starting.defer(() => server[Symbol.asyncDispose]());
    const started: Proxy[] = [];
    for (const facts of proxies) {
      const options = { ...facts, namespace: 'test', discoveryPort: server.port, envoy, dir, protocol };
      started.push(starting.use(await Proxy.start(options)));
    }
    await Promise.all(started.map((proxy) => proxy.ready()));
    return new EnvoyWorld({ proxies: started, generators, ports, owned: starting.move(), server });
  }

  get server(): LivePlane {
    return this.#server;
  }

  /** The ways to the application: through the gateway, and through the sidecar. */
  get urls(): readonly string[] {
    return [`http://127.0.0.1:${this.ports.gateway}/`, `http://127.0.0.2:${this.ports.service}/`];
  }

  /** Ends the control plane and starts another one on the same port. */
  async restart(objects: readonly Config[]): Promise<void> {
    const { port } = this.#server;
    await this.#server[Symbol.asyncDispose]();
    this.#server = await startPlane(this.generators, objects, port);
    this.#owned.use(this.#server);
  }

  /** Waits until each Envoy holds what would be rendered for it now, warming nothing and refusing nothing. */
  async settled(): Promise<void> {
    for (const proxy of this.proxies) {
      await until(`${proxy.name} to hold what was generated`, async () => {
        const difference = this.#difference(proxy, await proxy.admin.configDump());
        if (difference !== undefined) throw new Error(difference);
        return true;
      });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }

  /** What an Envoy holds that differs from what is generated for it. */
  #difference(proxy: Proxy, dump: ConfigDump): string | undefined {
    const { server } = this.#server.plane;
    const client = server.clients().find(
      ({
        client: {
          proxy: { id },
        },
      }) => id === `${proxy.name}.test`,
    );
    if (!client) return 'it is not connected';
    const { cds = [], lds = [], rds = [] } = renderProxy(server.snapshot, client.client.proxy);
    for (const [type, rendered] of Object.entries({ clusters: cds, listeners: lds, routes: rds })) {
      const { active, warming, errors } = dump[type as keyof ConfigDump];
      if (warming.size > 0) return `${type} that warm: ${[...warming.keys()].join(', ')}`;
      if (errors.size > 0) return `${type} that were refused: ${JSON.stringify([...errors])}`;
      const wrong = differing(rendered, active);
      if (wrong.length > 0) return `${type} that differ: ${wrong.join('; ')}`;
    }
    return undefined;
  }
}

/** Objects in YAML. */
export function objectsOf(yaml: string): readonly Config[] {
  return parseConfigFile(yaml, 'test.yaml').flatMap(({ config, diagnostics }) => {
    if (!config) throw new Error(JSON.stringify(diagnostics));
    return [config];
  });
}

function startPlane(generators: MeshGenerators, objects: readonly Config[], port = 0): Promise<LivePlane> {
  const proxiesFile = { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 5ms}' };
  const { settings } = readScenario({ manifests: [], proxies: proxiesFile });
  return LivePlane.start({ settings, objects, generators, port });
}

/** Answers with the header by which a route says that it was taken. */
async function startApplication(): Promise<Server> {
  const server = createServer(({ headers }, response) => response.end(headers['x-route']));
  server.listen(0, APPLICATION_ADDRESS);
  await once(server, 'listening');
  return server;
}

/** Names whose content is not the same, with both. */
function differing(rendered: readonly EncodedResource[], active: ReadonlyMap<string, unknown>): readonly string[] {
  const names = new Set([...rendered.map(({ name }) => name), ...active.keys()]);
  const wanted = new Map(rendered.map(({ name, any }) => [name, JSON.stringify(sorted(decodeAny(any)))]));
  return [...names].flatMap((name) => {
    const held = active.has(name) ? JSON.stringify(sorted(canonical(active.get(name)))) : undefined;
    return held === wanted.get(name) ? [] : [`${name}: wanted ${wanted.get(name)}, Envoy has ${held}`];
  });
}

function canonical(dumped: unknown): unknown {
  const parsed = parse('google.protobuf.Any', dumped);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.message;
}

/** The same value, members of objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

/** The mesh before anything changes. */
export function baseObjects(ports: Ports): readonly Config[] {
  return objectsOf(`
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: istio-system}
spec: {mtls: {mode: DISABLE}}
---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: gateway, namespace: test}
spec:
  selector: {istio: ingressgateway}
  servers:
  - port: {name: http, number: ${ports.gateway}, protocol: HTTP}
    bind: 127.0.0.1
    hosts: ["*"]
---
${serviceEntry('api', HOST, ports)}
---
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: client, namespace: test}
spec:
  workloadSelector: {labels: {app: client}}
  ingress:
  - port: {name: http, number: ${ports.ingress}, protocol: HTTP}
    bind: 127.0.0.2
    captureMode: NONE
    defaultEndpoint: 127.0.0.1:${ports.application}
  egress:
  - port: {name: http, number: ${ports.service}, protocol: HTTP}
    bind: 127.0.0.2
    captureMode: NONE
    hosts: ["./*"]
---
${virtualService(ports, 'first')}
`);
}

export const serviceEntry = (name: string, host: string, { service, application }: Ports): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: test}
spec:
  hosts: [${host}]
  location: MESH_EXTERNAL
  resolution: STATIC
  ports: [{number: ${service}, name: http, protocol: HTTP, targetPort: ${application}}]
  endpoints: [{address: ${APPLICATION_ADDRESS}}]
`;

/** The route to the application, which is told the name of the route and answers with it. */
export const virtualService = ({ service }: Ports, route: string): string => `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: api, namespace: test}
spec:
  hosts: [${HOST}]
  gateways: [mesh, gateway]
  http:
  - headers: {request: {set: {x-route: ${route}}}}
    route: [{destination: {host: ${HOST}, port: {number: ${service}}}}]
`;
