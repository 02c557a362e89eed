import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Child } from './child.ts';
import { EnvoyAdmin } from './envoy-admin.ts';
import { freePorts } from './free-ports.ts';
import { getText } from './http.ts';
import { sourceCommand, sourceEnvironment } from './source-command.ts';
import { until, type UntilOptions } from './until.ts';

/** By what a proxy and its control plane know each other. */
export interface ProxyCredentials {
  readonly serviceAccount: string;
  readonly token: string;
  /** The roots of the control plane's certificate. */
  readonly roots: string;
}

export interface ProxyOptions {
  readonly name: string;
  readonly namespace: string;
  readonly kind: 'sidecar' | 'router';
  /** An address of its own, such as 127.0.0.2: that of the pod. */
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly discoveryPort: number;
  /** Path of the Envoy. */
  readonly envoy: string;
  /** A folder for its bootstrap. */
  readonly dir: string;
  readonly protocol?: 'delta' | 'sotw';
  /** Absent: plain text, without certificates. */
  readonly credentials?: ProxyCredentials;
  /** Further variables of the agent. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** An Envoy on loopback, started by the agent; nothing is redirected to it. */
export class Proxy implements AsyncDisposable {
  readonly name: string;
  readonly child: Child;
  readonly admin: EnvoyAdmin;
  /** Of the agent: its status and metrics. */
  readonly agentPort: number;

  private constructor(child: Child, adminPort: number, agentPort: number) {
    this.name = child.name;
    this.child = child;
    this.admin = new EnvoyAdmin(adminPort);
    this.agentPort = agentPort;
  }

  /** Starts agent and Envoy, without waiting for either. The agent refuses ports that are taken. */
  static async start(options: ProxyOptions): Promise<Proxy> {
    const [adminPort = 0, statusPort = 0, readyPort = 0, prometheusPort = 0] = await freePorts(4);
    const {
      name,
      namespace,
      kind,
      address,
      labels,
      discoveryPort,
      envoy,
      dir,
      protocol = 'delta',
      credentials,
    } = options;
    const folder = join(dir, name);
    if (credentials) await mount(folder, credentials);
    const child = new Child({
      name,
      command: [...sourceCommand('pilot-agent'), 'proxy', kind, '--concurrency', '1'],
      // Sockets of the agent and files of the pod are below the folder that it runs in.
      cwd: credentials ? folder : dir,
      environment: {
        ...sourceEnvironment,
        PROXY_CONFIG: JSON.stringify({
          binaryPath: envoy,
          configPath: folder,
          ...(credentials
            ? { discoveryAddress: `localhost:${discoveryPort}` }
            : { discoveryAddress: `127.0.0.1:${discoveryPort}`, controlPlaneAuthPolicy: 'NONE' }),
          proxyAdminPort: adminPort,
          statusPort,
          // Nobody waits for these proxies to drain.
          terminationDrainDuration: '0s',
        }),
        ENVOY_STATUS_PORT: `${readyPort}`,
        ENVOY_PROMETHEUS_PORT: `${prometheusPort}`,
        POD_NAME: name,
        POD_NAMESPACE: namespace,
        INSTANCE_IP: address,
        ISTIO_META_INTERCEPTION_MODE: 'NONE',
        ISTIO_METAJSON_LABELS: JSON.stringify(labels),
        ISTIO_DELTA_XDS: `${protocol === 'delta'}`,
        ...(credentials && { SERVICE_ACCOUNT: credentials.serviceAccount }),
        ...options.environment,
      },
    });
    return new Proxy(child, adminPort, statusPort);
  }

  /** Waits until Envoy has its configuration and serves. */
  async ready(options: UntilOptions = {}): Promise<void> {
    const url = `http://127.0.0.1:${this.agentPort}/healthz/ready`;
    const ready = until(`${this.name} to be ready`, async () => (await getText(url)) !== undefined, options);
    await Promise.race([ready, this.child.unexpectedEnd()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.child.stop();
  }
}

/** Puts the pod's files where the agent looks for them. */
async function mount(folder: string, { token, roots }: ProxyCredentials): Promise<void> {
  const files = { 'tokens/istio-token': token, 'istio/root-cert.pem': roots };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'var/run/secrets', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
