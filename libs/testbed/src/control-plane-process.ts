import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.ts';
import { getJson } from './http.ts';
import { sourceCommand, sourceEnvironment } from './source-command.ts';
import { until } from './until.ts';

export interface ControlPlanePorts {
  readonly grpc: number;
  /** Of xDS and the certificate authority over TLS. */
  readonly secureGrpc: number;
  readonly http: number;
  readonly monitoring: number;
}

export interface ControlPlaneProcessOptions {
  readonly configDir: string;
  /** A folder for the file in which it tells its ports. */
  readonly dir: string;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Path of the network namespace that it runs in; that of the test if absent. */
  readonly networkNamespace?: string;
  readonly signal?: AbortSignal;
  /** Called with the process as soon as there is one, before it serves. */
  readonly onChild?: (child: Child) => void;
}

/** `pilot-discovery discovery` on loopback, with ports that were free. */
export class ControlPlaneProcess implements AsyncDisposable {
  readonly child: Child;
  readonly ports: ControlPlanePorts;

  private constructor(child: Child, ports: ControlPlanePorts) {
    this.child = child;
    this.ports = ports;
  }

  /** Starts it and waits until it serves. */
  static async start(options: ControlPlaneProcessOptions): Promise<ControlPlaneProcess> {
    const { configDir, dir, flags = [], environment, networkNamespace, signal, onChild } = options;
    const portsFile = join(dir, 'ports.json');
    // One before it told its ports there too.
    await rm(portsFile, { force: true });
    const addresses = ['--grpcAddr', '--secureGRPCAddr', '--httpAddr', '--monitoringAddr'].flatMap((flag) => [
      flag,
      '127.0.0.1:0',
    ]);
    const [program, ...args] = sourceCommand('pilot-discovery');
    const command: readonly [string, ...string[]] =
      networkNamespace === undefined ? [program, ...args] : ['nsenter', `--net=${networkNamespace}`, program, ...args];
    const child = new Child({
      name: 'pilot-discovery',
      command: [
        ...command,
        ...['discovery', '--configDir', configDir, '--ports-file', portsFile, ...addresses, ...flags],
      ],
      cwd: dir,
      environment: { ...sourceEnvironment, ...environment },
    });
    onChild?.(child);
    try {
      const served = until(
        'pilot-discovery to serve',
        async () => JSON.parse(await readFile(portsFile, 'utf8')) as ControlPlanePorts,
        signal && { signal },
      );
      return new ControlPlaneProcess(child, await Promise.race([served, child.unexpectedEnd()]));
    } catch (error) {
      await child.stop();
      throw error;
    }
  }

  /** The answer of a debug endpoint. */
  debug(path: string): Promise<unknown> {
    return getJson(`http://127.0.0.1:${this.ports.http}/debug/${path}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.child.stop();
  }
}
