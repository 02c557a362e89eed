import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import type { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { commandRunner } from '@kedge/redirection';

const script = join(import.meta.dirname, 'traffic.py');

/** A connection or datagram to try. */
export interface Probe {
  readonly to: readonly [host: string, port: number];
  readonly uid?: number;
  /** Of the packets; then the user is root. */
  readonly mark?: number;
  readonly from?: string;
  readonly udp?: boolean;
}

/** Where it arrived, as the server there tells. */
export interface Answer {
  readonly at?: string;
  readonly port?: number;
  readonly original?: string;
  readonly client?: string;
  readonly upstream?: Answer | string;
  readonly error?: string;
}

type Role = 'proxy' | 'transparent-proxy' | 'application' | 'peer';

/** Why tests that need namespaces and these programs can't run; undefined if they can. */
export function missingForRoot(programs: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  const missing = programs.filter((program) => spawnSync(program, ['-V']).error !== undefined);
  if (missing.length > 0) return `there is no ${missing.join(', ')}`;
  return spawnSync('unshare', ['-n', 'true']).status === 0 ? undefined : 'network namespaces cannot be made';
}

/**
 * A pod and a peer, each in a network namespace, joined by two networks: eth0 (10.77.0.0/24, fd77::/64) and eth1
 * (10.78.0.0/24, fd78::/64). The pod is .2, the peer .1, which also has 10.79.0.1 and fd79::1.
 */
export class PodNetwork implements Disposable {
  readonly #pod: string;
  readonly #peer: string;
  readonly #servers: ChildProcess[] = [];
  readonly #processes: ChildProcess[] = [];

  constructor(name: string) {
    this.#pod = `pod-${name}-${process.pid}`;
    this.#peer = `peer-${name}-${process.pid}`;
    for (const namespace of [this.#pod, this.#peer]) ip('netns', 'add', namespace);
    for (const [index, net] of [77, 78].entries()) {
      const eth = `eth${index}`;
      ip('-n', this.#pod, 'link', 'add', eth, 'type', 'veth', 'peer', 'name', eth, 'netns', this.#peer);
      this.#address(this.#pod, eth, `10.${net}.0.2/24`, `fd${net}::2/64`);
      this.#address(this.#peer, eth, `10.${net}.0.1/24`, `fd${net}::1/64`);
    }
    this.#address(this.#peer, 'lo', '10.79.0.1/32', 'fd79::1/128');
    for (const namespace of [this.#pod, this.#peer]) {
      for (const device of ['lo', 'eth0', 'eth1']) ip('-n', namespace, 'link', 'set', device, 'up');
    }
    ip('-n', this.#pod, 'route', 'add', 'default', 'via', '10.77.0.1');
    ip('-n', this.#pod, '-6', 'route', 'add', 'default', 'via', 'fd77::1');
  }

  #address(namespace: string, device: string, ipv4: string, ipv6: string): void {
    ip('-n', namespace, 'address', 'add', ipv4, 'dev', device);
    ip('-n', namespace, '-6', 'address', 'add', ipv6, 'dev', device, 'nodad');
  }

  /** The pod's namespace. */
  get path(): string {
    return `/run/netns/${this.#pod}`;
  }

  /** Runs programs in the pod's namespace. */
  get run() {
    return commandRunner(this.path);
  }

  /** The pod's interfaces as Node would tell them there. */
  get interfaces(): ReturnType<typeof networkInterfaces> {
    const text = this.#inside(this.#pod, process.execPath, ['-p', 'JSON.stringify(os.networkInterfaces())']);
    return JSON.parse(text) as ReturnType<typeof networkInterfaces>;
  }

  output(program: string, ...args: readonly string[]): string {
    return this.#inside(this.#pod, program, args);
  }

  async serve(...roles: readonly Role[]): Promise<void> {
    await Promise.all(
      roles.map((role) => {
        const namespace = role === 'peer' ? this.#peer : this.#pod;
        const child = spawn('ip', ['netns', 'exec', namespace, '/usr/bin/python3', script, 'serve', role], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        this.#servers.push(child);
        return new Promise<void>((resolve, reject) => {
          child.stdout.once('data', () => resolve());
          child.once('exit', (code) => reject(new Error(`${role} ended with ${code}`)));
        });
      }),
    );
  }

  /** Starts a program in the pod, as a user; it ends with the network. */
  start(uid: number, program: string, ...args: readonly string[]): void {
    const call = [`--net=${this.path}`, '-S', String(uid), '-G', String(uid), '--', program, ...args];
    this.#processes.push(spawn('nsenter', call, { stdio: ['ignore', 'ignore', 'inherit'] }));
  }

  /** Tries all probes at once. */
  probe(where: 'pod' | 'peer', probes: readonly Probe[]): readonly Answer[] {
    const namespace = where === 'pod' ? this.#pod : this.#peer;
    const args = [script, 'probe'];
    return JSON.parse(this.#inside(namespace, '/usr/bin/python3', args, JSON.stringify(probes))) as readonly Answer[];
  }

  #inside(namespace: string, program: string, args: readonly string[], input = ''): string {
    return execFileSync('ip', ['netns', 'exec', namespace, program, ...args], {
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  [Symbol.dispose](): void {
    for (const child of this.#processes) child.kill('SIGKILL');
    for (const server of this.#servers) server.removeAllListeners('exit').stdin?.end();
    for (const namespace of [this.#pod, this.#peer]) ip('netns', 'delete', namespace);
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
