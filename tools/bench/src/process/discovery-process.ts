import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MeshFolder } from '../mesh/files.ts';
import { waitUntil } from './wait.ts';

export type Build = 'source' | 'built';

export interface DiscoveryProcessOptions {
  readonly build: Build;
  readonly mesh: MeshFolder;
  /** Where its log and its ports are written. */
  readonly folder: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** A folder for a CPU profile, written when it is stopped. */
  readonly profile?: string;
}

interface Ports {
  readonly grpc: number;
  readonly http: number;
}

/** What is used of a push as the server remembers it. */
export interface TracedPush {
  readonly push: number;
  readonly computed: readonly {
    readonly query: string;
    readonly count: number;
    readonly ownMs: number;
    readonly encodes: boolean;
    readonly assembles: boolean;
  }[];
}

const START_TIMEOUT_MS = 120_000;
const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** As its launcher has them. */
const { nodeFlags } = JSON.parse(readFileSync(join(root, 'apps/pilot-discovery/package.json'), 'utf8')) as {
  readonly nodeFlags: readonly string[];
};
const mains: Readonly<Record<Build, string>> = {
  source: join(root, 'apps/pilot-discovery/src/main.ts'),
  built: join(root, 'out/apps/pilot-discovery/main.mjs'),
};

/** The control plane as a process of its own, on a folder of manifests. */
export class DiscoveryProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #httpPort: number;

  private constructor(child: ChildProcess, { grpc, http }: Ports) {
    this.#child = child;
    this.port = grpc;
    this.#httpPort = http;
  }

  static async start({ build, mesh, folder, port, profile }: DiscoveryProcessOptions): Promise<DiscoveryProcess> {
    const main = mains[build];
    if (!existsSync(main)) throw new Error(`${main} is not there; run: npm run build`);
    const portsFile = join(folder, 'ports.json');
    rmSync(portsFile, { force: true });
    const log = openSync(join(folder, 'discovery.log'), 'a');
    const addresses = Object.entries({ grpcAddr: port, secureGRPCAddr: 0, httpAddr: 0, monitoringAddr: 0 });
    const child = spawn(
      process.execPath,
      [
        ...nodeFlags,
        ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
        main,
        'discovery',
        ...['--configDir', mesh.config, '--meshConfig', mesh.meshConfig, '--ports-file', portsFile],
        ...addresses.flatMap(([flag, value]) => [`--${flag}`, `127.0.0.1:${value}`]),
      ],
      { stdio: ['ignore', log, log] },
    );
    const isServing = (): boolean => child.exitCode !== null || existsSync(portsFile);
    await waitUntil(isServing, START_TIMEOUT_MS);
    if (!existsSync(portsFile)) {
      child.kill('SIGKILL');
      throw new Error(`the server doesn't start:\n${readFileSync(join(folder, 'discovery.log'), 'utf8').slice(-2000)}`);
    }
    // The file may be there before its content is.
    await waitUntil(() => readFileSync(portsFile, 'utf8').endsWith('\n'), START_TIMEOUT_MS);
    return new DiscoveryProcess(child, JSON.parse(readFileSync(portsFile, 'utf8')) as Ports);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The last pushes, the newest first. */
  async pushes(): Promise<readonly TracedPush[]> {
    const response = await fetch(`http://127.0.0.1:${this.#httpPort}/debug/pushes`);
    return (await response.json()) as readonly TracedPush[];
  }

  /** Ends it in order, so that a profile is written. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await once(this.#child, 'exit');
  }
}
