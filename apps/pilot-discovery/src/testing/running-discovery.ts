import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogging } from '@kedge/observability';
import { type ControlPlanePorts, getText, until } from '@kedge/testbed';
import { type DiscoveryFlags, runDiscovery } from '../discovery.ts';
import type { MeshGenerators } from '../xds/mesh-generators.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

interface RunningOptions {
  readonly flags?: Partial<DiscoveryFlags>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The whole server in this process, on a folder that tests write to. */
export class RunningDiscovery implements AsyncDisposable {
  readonly ports: ControlPlanePorts;
  /** What it logged. */
  readonly lines: readonly string[];
  readonly #dir: string;
  readonly #stop: AbortController;
  readonly #ended: Promise<void>;

  private constructor(parts: {
    readonly dir: string;
    readonly ports: ControlPlanePorts;
    readonly lines: readonly string[];
    readonly stop: AbortController;
    readonly ended: Promise<void>;
  }) {
    this.#dir = parts.dir;
    this.ports = parts.ports;
    this.lines = parts.lines;
    this.#stop = parts.stop;
    this.#ended = parts.ended;
  }

  static async start(
    files: Readonly<Record<string, string>>,
    generators?: MeshGenerators,
    { flags = {}, environment = {} }: RunningOptions = {},
  ): Promise<RunningDiscovery> {
    const dir = await mkdtemp(join(tmpdir(), 'discovery-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
    const lines: string[] = [];
    const stop = new AbortController();
    const portsFile = join(dir, 'ports');
    const ended = runDiscovery({
      flags: {
        configDir: dir,
        meshConfig: join(dir, 'mesh'),
        networksConfig: join(dir, 'networks'),
        domain: 'cluster.local',
        grpcAddr: anyPort,
        httpAddr: anyPort,
        monitoringAddr: anyPort,
        shutdownDuration: 1000,
        portsFile,
        ...flags,
      },
      environment: { PILOT_DEBOUNCE_AFTER: '5ms', ...environment },
      logging: createLogging(undefined, { write: (line) => lines.push(line) }),
      ...(generators && { generators }),
      stop: stop.signal,
    });
    const served = until('the ports', async () => JSON.parse(await readFile(portsFile, 'utf8')) as ControlPlanePorts);
    const ports = await Promise.race([served, ended.then(() => Promise.reject(new Error('it ended')))]);
    return new RunningDiscovery({ dir, ports, lines, stop, ended });
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.#dir, name), text);
  }

  get(path: string): Promise<string> {
    return getText(`http://127.0.0.1:${this.ports.http}${path}`);
  }

  metrics(): Promise<string> {
    return getText(`http://127.0.0.1:${this.ports.monitoring}/metrics`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await rm(this.#dir, { recursive: true, force: true });
  }
}
