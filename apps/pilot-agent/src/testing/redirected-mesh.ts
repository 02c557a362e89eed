import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CertificateAuthority } from '@kedge/security';
import { Child, ControlPlaneProcess, TokenIssuer, until } from '@kedge/testbed';
import { STRICT } from './mesh-manifests.ts';
import type { MeshHost, MeshNetwork } from './mesh-network.ts';

const main = join(import.meta.dirname, '../main.ts');
const discoveryPort = 15012;
const applicationPort = 8080;
const serviceAddress = { ipv4: '10.96.0.10', ipv6: 'fd96::10' } as const;

export const users = { root: 0, proxy: 1337, application: 1000 } as const;

/** As the init container of an injected pod has them. */
const redirectionFlags = ['-p', '15001', '-z', '15006', '-u', '1337', '-m', 'REDIRECT', '-i', '*', '-x', '', '-b', '*'];

/** Answers with the header that tells the peer's identity, and where the connection comes from. */
const application = `
  require('node:http').createServer(({ headers, socket }, response) => {
    const { 'x-forwarded-client-cert': peer } = headers;
    response.end(JSON.stringify({ peer, from: socket.remoteAddress }));
  }).listen(${applicationPort}, '::');`;

const ask = (url: string) => `
  fetch('${url}').then(async (response) => [response.status, await response.text()], (error) => [0, error.cause.code])
    .then((answer) => console.log(JSON.stringify(answer)));`;

/** Status and body; 0 and the error if there is no answer. */
export type Answer = readonly [status: number, text: string];

export interface RedirectedMeshOptions {
  readonly network: MeshNetwork;
  readonly authority: CertificateAuthority;
  /** Path of the Envoy. */
  readonly envoy: string;
}

/** A client and a server as pods, in which applications and proxies are users of their own. Mutual TLS is STRICT. */
export class RedirectedMesh implements AsyncDisposable {
  readonly #options: RedirectedMeshOptions;
  readonly #dir: string;
  readonly #issuer = new TokenIssuer();
  readonly #owned = new AsyncDisposableStack();

  private constructor(options: RedirectedMeshOptions, dir: string) {
    this.#options = options;
    this.#dir = dir;
    this.#owned.defer(() => rm(dir, { recursive: true, force: true }));
  }

  /** Starts all of it; nothing is redirected yet. */
  static async start(options: RedirectedMeshOptions): Promise<RedirectedMesh> {
    const mesh = new RedirectedMesh(options, await mkdtemp(join(tmpdir(), 'redirected-mesh-')));
    try {
      await chmod(mesh.#dir, 0o755);
      await mesh.#startControlPlane();
      mesh.#start('application', 'server', users.application, [process.execPath, '-e', application]);
      await Promise.all([mesh.#startProxy('client'), mesh.#startProxy('server')]);
      return mesh;
    } catch (error) {
      await mesh[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Has the agent's commands redirect the traffic of both pods, or no longer. */
  async redirect(command: 'istio-iptables' | 'istio-clean-iptables', backend: Readonly<Record<string, string>>) {
    for (const pod of ['client', 'server'] as const) {
      const call = [process.execPath, main, command, ...redirectionFlags, '-d', '15090,15021,15020'];
      await this.#options.network.run(pod, users.root, call, { ...backend, INSTANCE_IP: this.#address(pod) });
    }
  }

  /** Asks the service, or the server's own address. */
  async request(from: MeshHost, uid: number, to: 'service' | 'pod'): Promise<Answer> {
    const { network } = this.#options;
    const address = to === 'service' ? serviceAddress[network.family] : this.#address('server');
    const url = `http://${inUrl(address)}:${to === 'service' ? 80 : applicationPort}/`;
    return JSON.parse(await network.run(from, uid, [process.execPath, '-e', ask(url)])) as Answer;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }

  async #startControlPlane(): Promise<void> {
    const { network, authority } = this.#options;
    const { certificate, key } = authority.material.texts;
    await this.#write({
      'config/mesh.yaml': manifests(network, this.#address.bind(this)),
      'config/policies.yaml': STRICT,
      'cacerts/ca-key.pem': key,
      'cacerts/ca-cert.pem': certificate,
      'cacerts/cert-chain.pem': '',
      'cacerts/root-cert.pem': authority.roots,
    });
    const controlPlane = await ControlPlaneProcess.start({
      configDir: join(this.#dir, 'config'),
      dir: this.#dir,
      flags: ['--secureGRPCAddr', `${inUrl(this.#address('control'))}:${discoveryPort}`],
      environment: { JWT_RULE: this.#issuer.jwtRule, ROOT_CA_DIR: join(this.#dir, 'cacerts') },
      networkNamespace: network.path('control'),
    });
    this.#owned.use(controlPlane);
  }

  async #startProxy(pod: 'client' | 'server'): Promise<void> {
    const { network, authority, envoy } = this.#options;
    await this.#write({
      [`${pod}/var/run/secrets/tokens/istio-token`]: this.#issuer.token('shop', pod),
      [`${pod}/var/run/secrets/istio/root-cert.pem`]: authority.roots,
    });
    const folder = join(this.#dir, pod);
    execFileSync('chown', ['-R', `${users.proxy}:${users.proxy}`, folder]);
    const child = this.#start(`${pod}-proxy`, pod, users.proxy, [process.execPath, main, 'proxy', 'sidecar'], {
      PROXY_CONFIG: JSON.stringify({
        binaryPath: envoy,
        configPath: folder,
        discoveryAddress: `${inUrl(this.#address('control'))}:${discoveryPort}`,
        concurrency: 1,
        terminationDrainDuration: '0s',
      }),
      ISTIOD_SAN: 'localhost',
      POD_NAME: pod,
      POD_NAMESPACE: 'shop',
      SERVICE_ACCOUNT: pod,
      INSTANCE_IP: this.#address(pod),
      ISTIO_META_INTERCEPTION_MODE: 'REDIRECT',
      ISTIO_METAJSON_LABELS: JSON.stringify({ app: pod }),
    });
    const loopback = network.family === 'ipv4' ? '127.0.0.1' : '::1';
    const url = `http://${inUrl(loopback)}:15021/healthz/ready`;
    const isReady = async () => {
      const answer = await network.run(pod, users.proxy, [process.execPath, '-e', ask(url)]);
      return (JSON.parse(answer) as Answer)[0] === 200;
    };
    await Promise.race([until(`${pod} to be ready`, isReady), child.unexpectedEnd()]);
  }

  #start(
    name: string,
    host: MeshHost,
    uid: number,
    command: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Child {
    const cwd = uid === users.proxy ? join(this.#dir, host) : this.#dir;
    const child = new Child({ name, command: this.#options.network.command(host, uid, ...command), cwd, environment });
    return this.#owned.use(child);
  }

  #address(host: MeshHost): string {
    return this.#options.network.address(host);
  }

  async #write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.#dir, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }
}

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

function manifests({ family }: MeshNetwork, address: (host: MeshHost) => string): string {
  const pod = (name: 'client' | 'server') => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: { app: name, 'security.istio.io/tlsMode': 'istio' } },
    spec: { serviceAccountName: name, containers: [{ name: 'app', image: 'app' }] },
    status: {
      phase: 'Running',
      podIP: address(name),
      podIPs: [{ ip: address(name) }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
  const [clusterIP, version] = [serviceAddress[family], family === 'ipv4' ? 'IPv4' : 'IPv6'];
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'server', namespace: 'shop' },
      spec: {
        clusterIP,
        clusterIPs: [clusterIP],
        ipFamilies: [version],
        selector: { app: 'server' },
        ports: [{ name: 'http', port: 80, targetPort: applicationPort }],
      },
    },
    pod('client'),
    pod('server'),
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'server', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'server' } },
      addressType: version,
      ports: [{ name: 'http', port: applicationPort, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: [address('server')],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', name: 'server', namespace: 'shop' },
        },
      ],
    },
  ];
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}
