import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority, MemoryCaStore, openSelfSigned } from '@kedge/security';
import { ControlPlaneProcess, freePorts, getJson, Proxy, TokenIssuer, until } from '@kedge/testbed';
import { meshManifests, STRICT } from './mesh-manifests.ts';

/** The host that the server is called by. */
export const HOST = 'server.shop';

export interface SecureMeshOptions {
  readonly authority: CertificateAuthority;
  /** Path of the Envoy. */
  readonly envoy: string;
  /** Manifests; mutual TLS is STRICT where absent. */
  readonly policies?: string;
  /** Further variables of the control plane. */
  readonly environment?: Readonly<Record<string, string>>;
  /** How long certificates live; they are renewed after a quarter of it. */
  readonly ttl?: string;
  /** Whether the server is a machine that registers itself, not a pod. */
  readonly isMachine?: boolean;
}

/** A client and a server with an Envoy each, and certificates that live for seconds. */
export class SecureMesh implements AsyncDisposable {
  /** Of the client's proxy: whose connections are kept, and whose are new for each request. */
  readonly urls: { readonly kept: string; readonly fresh: string };
  /** The same ports of the server's proxy. */
  readonly serverUrls: SecureMesh['urls'];
  /** Of kept and new connections, as policies name them. */
  readonly ports: { readonly kept: number; readonly fresh: number };
  proxies: readonly Proxy[] = [];
  controlPlane!: ControlPlaneProcess;
  readonly #dir: string;
  readonly #securePort: number;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #issuer = new TokenIssuer();
  readonly #owned = new AsyncDisposableStack();

  private constructor(
    dir: string,
    ports: SecureMesh['ports'] & { readonly secure: number },
    environment: Readonly<Record<string, string>>,
  ) {
    this.#dir = dir;
    this.#securePort = ports.secure;
    this.#environment = environment;
    this.ports = ports;
    this.urls = urlsAt('127.0.0.2', ports);
    this.serverUrls = urlsAt('127.0.0.3', ports);
    this.#owned.defer(() => rm(dir, { recursive: true, force: true }));
  }

  /** Starts all of it, and waits until the proxies serve. */
  static async start(options: SecureMeshOptions): Promise<SecureMesh> {
    const { authority, envoy, policies = STRICT, environment = {}, ttl = '12s', isMachine = false } = options;
    const startProxy = { envoy, roots: authority.roots, ttl, isMachine };
    const [kept = 0, fresh = 0, secure = 0] = await freePorts(3);
    const dir = await mkdtemp(join(tmpdir(), 'secure-mesh-'));
    const mesh = new SecureMesh(dir, { kept, fresh, secure }, environment);
    try {
      const server = await startApplication();
      mesh.#owned.defer(() => void server.close().closeAllConnections());
      const application = (server.address() as AddressInfo).port;
      for (const folder of ['config', 'cacerts']) await mkdir(join(dir, folder));
      await writeFile(join(dir, 'config/mesh.yaml'), meshManifests({ kept, fresh, application, isMachine }));
      await mesh.apply(policies);
      await mesh.plugIn(authority, authority.roots);
      await mesh.startControlPlane();
      mesh.#owned.defer(() => mesh.controlPlane[Symbol.asyncDispose]());
      mesh.proxies = [
        await mesh.#startProxy('client', '127.0.0.2', 'delta', startProxy),
        await mesh.#startProxy('server', '127.0.0.3', 'sotw', startProxy),
      ];
      await Promise.all(mesh.proxies.map((proxy) => proxy.ready()));
      return mesh;
    } catch (error) {
      await mesh[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Has these policies hold instead of those before. */
  async apply(policies: string): Promise<void> {
    await writeFile(join(this.#dir, 'config/policies.yaml'), policies);
  }

  /** Starts the control plane, on the port that the agents know. */
  async startControlPlane(): Promise<void> {
    const dir = this.#dir;
    this.controlPlane = await ControlPlaneProcess.start({
      configDir: join(dir, 'config'),
      dir,
      flags: ['--secureGRPCAddr', `127.0.0.1:${this.#securePort}`],
      environment: { JWT_RULE: this.#issuer.jwtRule, ROOT_CA_DIR: join(dir, 'cacerts'), ...this.#environment },
    });
  }

  /** Has the control plane sign by an authority; its proxies are to trust these roots. */
  async plugIn({ material }: CertificateAuthority, roots: string): Promise<void> {
    const { certificate, key } = material.texts;
    const files = { 'ca-key.pem': key, 'ca-cert.pem': certificate, 'cert-chain.pem': '', 'root-cert.pem': roots };
    for (const [name, text] of Object.entries(files)) await writeFile(join(this.#dir, 'cacerts', name), text);
    for (const { name } of this.proxies) {
      await writeFile(join(this.#dir, name, 'var/run/secrets/istio/root-cert.pem'), roots);
    }
  }

  /** Mounts a list of revoked certificates into the pods. */
  async revoke(list: string): Promise<void> {
    for (const { name } of this.proxies) {
      const folder = join(this.#dir, name, 'var/run/secrets/istio/crl');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'ca-crl.pem'), list);
    }
  }

  /** How many secrets with lists of revoked certificates each Envoy has. */
  lists(): Promise<readonly number[]> {
    const count = async ({ admin }: Proxy): Promise<number> => {
      const secrets = JSON.stringify(await getJson(`${admin.url}/config_dump?resource=dynamic_active_secrets`));
      return secrets.split('"crl":').length - 1;
    };
    return Promise.all(this.proxies.map(count));
  }

  /** Waits until each agent has got so many certificates from now on. */
  renewed(times: number): Promise<void> {
    return this.#logged('certificate until', times);
  }

  /** Waits until each agent has asked for a certificate in vain. */
  refusedRenewal(): Promise<void> {
    return this.#logged('no new certificate', 1);
  }

  /** Serial numbers of the certificates, or of the roots, that the Envoys use now, in hexadecimal. */
  serials(kind: 'cert_chain' | 'ca_cert'): Promise<readonly string[]> {
    const serialsOf = async ({ admin }: Proxy): Promise<string> => {
      const { certificates } = (await getJson(`${admin.url}/certs`)) as { certificates: readonly CertificateDetails[] };
      const serials = certificates.flatMap((entry) => entry[kind].map(({ serial_number }) => serial_number));
      return [...new Set(serials)].sort().join();
    };
    return Promise.all(this.proxies.map(serialsOf));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }

  async #logged(text: string, times: number): Promise<void> {
    const counts = (): readonly number[] => this.proxies.map((proxy) => said(proxy, text));
    const before = counts();
    await until(`"${text}" ${times} times`, () => counts().every((count, index) => count >= before[index]! + times));
  }

  async #startProxy(
    name: string,
    address: string,
    protocol: 'delta' | 'sotw',
    { envoy, roots, ttl, isMachine }: StartProxy,
  ): Promise<Proxy> {
    const proxy = await Proxy.start({
      name,
      namespace: 'shop',
      kind: 'sidecar',
      address,
      protocol,
      labels: { app: name },
      discoveryPort: this.#securePort,
      envoy,
      dir: this.#dir,
      credentials: { serviceAccount: name, token: this.#issuer.token('shop', name), roots },
      environment: {
        SECRET_TTL: ttl,
        SECRET_GRACE_PERIOD_RATIO: '0.75',
        PROXY_CONFIG_XDS_AGENT: 'true',
        ...(isMachine && name === 'server' ? { ISTIO_META_AUTO_REGISTER_GROUP: name } : {}),
      },
    });
    return this.#owned.use(proxy);
  }
}

interface StartProxy {
  readonly envoy: string;
  readonly roots: string;
  readonly ttl: string;
  readonly isMachine: boolean;
}

const urlsAt = (address: string, { kept, fresh }: SecureMesh['ports']): SecureMesh['urls'] => ({
  kept: `http://${address}:${kept}/`,
  fresh: `http://${address}:${fresh}/`,
});

type CertificateDetails = Readonly<Record<'cert_chain' | 'ca_cert', readonly { readonly serial_number: string }[]>>;

/** How many lines of the proxy's output hold the text. */
const said = ({ child }: Proxy, text: string): number => child.tail().filter((line) => line.includes(text)).length;

/** An authority with a root of its own. */
export async function selfSigned(organization: string): Promise<CertificateAuthority> {
  const key = { algorithm: 'P-256' } as const;
  const material = await openSelfSigned({ store: new MemoryCaStore(), organization, ttl: 86_400_000, key });
  return new CertificateAuthority({ material });
}

/** Answers with what it is told of its peer. */
async function startApplication(): Promise<Server> {
  const server = createServer(({ headers }, response) => response.end(headers['x-forwarded-client-cert']));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
