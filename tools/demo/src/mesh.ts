import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child, ControlPlaneProcess, freePorts, Proxy, type ProxyOptions, TokenIssuer } from '@kedge/testbed';
import { copyManifests, type ManifestPorts } from './manifests.ts';

export interface MeshOptions {
  readonly dir: string;
  /** Path of the Envoy. */
  readonly envoy: string;
  readonly signal: AbortSignal;
  /** Called with each process as soon as there is one. */
  readonly onChild: (child: Child) => void;
}

/** What runs, and where. */
export interface Mesh {
  /** The watched folder. */
  readonly folder: string;
  readonly controlPlane: ControlPlaneProcess;
  readonly proxies: readonly Proxy[];
  readonly gatewayUrl: string;
  /** Of a back end's proxy, as it is called from outside the mesh. */
  readonly backendUrl: string;
}

/** The host that the gateway serves. */
export const HOST = 'shop.example.com';

type ProxyFacts = Pick<ProxyOptions, 'name' | 'kind' | 'address' | 'labels'> & { readonly serviceAccount: string };

const proxies: readonly ProxyFacts[] = [
  {
    name: 'gateway',
    kind: 'router',
    address: '127.0.0.1',
    labels: { istio: 'ingressgateway' },
    serviceAccount: 'gateway',
  },
  { name: 'frontend', kind: 'sidecar', address: '127.0.0.2', labels: { app: 'frontend' }, serviceAccount: 'frontend' },
  {
    name: 'backend-v1',
    kind: 'sidecar',
    address: '127.0.0.3',
    labels: { app: 'backend', version: 'v1' },
    serviceAccount: 'backend',
  },
  {
    name: 'backend-v2',
    kind: 'sidecar',
    address: '127.0.0.4',
    labels: { app: 'backend', version: 'v2' },
    serviceAccount: 'backend',
  },
];

/** Starts control plane, applications and proxies, and waits until all proxies serve. */
export async function startMesh({ dir, envoy, signal, onChild }: MeshOptions): Promise<Mesh> {
  const ports = await manifestPorts();
  const folder = join(dir, 'config');
  await mkdir(folder);
  await copyManifests(folder, ports);
  for (const application of applications(ports)) onChild(application);
  const issuer = new TokenIssuer();
  const authority = join(dir, 'authority');
  const controlPlane = await ControlPlaneProcess.start({
    configDir: folder,
    dir,
    signal,
    onChild,
    flags: ['--caStorageDir', authority],
    environment: { JWT_RULE: issuer.jwtRule, ROOT_CA_DIR: join(dir, 'none') },
  });
  const roots = await readFile(join(authority, 'current/root-cert.pem'), 'utf8');
  const started: Proxy[] = [];
  for (const { serviceAccount, ...facts } of proxies) {
    signal.throwIfAborted();
    const proxy = await Proxy.start({
      ...facts,
      namespace: 'demo',
      discoveryPort: controlPlane.ports.secureGrpc,
      credentials: { serviceAccount, roots, token: issuer.token('demo', serviceAccount) },
      envoy,
      dir,
    });
    onChild(proxy.child);
    started.push(proxy);
  }
  await Promise.all(started.map((proxy) => proxy.ready({ signal })));
  return {
    folder,
    controlPlane,
    proxies: started,
    gatewayUrl: `http://127.0.0.1:${ports.GATEWAY_PORT}/`,
    backendUrl: `http://127.0.0.3:${ports.BACKEND_PORT}/`,
  };
}

async function manifestPorts(): Promise<ManifestPorts> {
  const [gateway = 0, frontend = 0, frontendApp = 0, backend = 0, backendV1 = 0, backendV2 = 0] = await freePorts(6);
  return {
    GATEWAY_PORT: gateway,
    FRONTEND_PORT: frontend,
    FRONTEND_APP_PORT: frontendApp,
    BACKEND_PORT: backend,
    BACKEND_V1_APP_PORT: backendV1,
    BACKEND_V2_APP_PORT: backendV2,
  };
}

function applications(ports: ManifestPorts): readonly Child[] {
  const backend = `backend:${ports.BACKEND_PORT}`;
  const start = (name: string, ...args: readonly string[]): Child =>
    new Child({
      name: `application ${name}`,
      command: [process.execPath, join(import.meta.dirname, 'application.ts'), ...args],
    });
  return [
    start('frontend', 'frontend', `${ports.FRONTEND_APP_PORT}`, `http://127.0.0.2:${ports.BACKEND_PORT}`, backend),
    start('backend v1', 'backend', `${ports.BACKEND_V1_APP_PORT}`, 'v1'),
    start('backend v2', 'backend', `${ports.BACKEND_V2_APP_PORT}`, 'v2'),
  ];
}
