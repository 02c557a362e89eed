import { execFileSync, spawn } from 'node:child_process';

export type Family = 'ipv4' | 'ipv6';

/** Where is what: the pods, and beside them their control plane, in one network. */
const nets = {
  ipv4: { address: (host: number) => `10.77.0.${host}`, prefix: 24 },
  ipv6: { address: (host: number) => `fd77::${host}`, prefix: 64 },
} as const;

const hosts = { control: 1, client: 2, server: 3 } as const;
export type MeshHost = keyof typeof hosts;

/** Network namespaces of a control plane and two pods, with addresses of one family. */
export class MeshNetwork implements Disposable {
  readonly family: Family;
  readonly #suffix: string;

  constructor(family: Family) {
    this.family = family;
    this.#suffix = `${family}-${process.pid}`;
    for (const host of Object.keys(hosts) as readonly MeshHost[]) {
      ip('netns', 'add', this.#name(host));
      this.#ip(host, 'link', 'set', 'lo', 'up');
    }
    this.#ip('control', 'link', 'add', 'eth0', 'type', 'bridge');
    this.#join('control', 'eth0');
    for (const pod of ['client', 'server'] as const) {
      this.#ip('control', 'link', 'add', pod, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#name(pod));
      this.#ip('control', 'link', 'set', pod, 'master', 'eth0', 'up');
      this.#join(pod, 'eth0');
      this.#ip(pod, ...this.#version, 'route', 'add', 'default', 'via', this.address('control'));
    }
  }

  address(host: MeshHost): string {
    return nets[this.family].address(hosts[host]);
  }

  /** Path of the network namespace. */
  path(host: MeshHost): string {
    return `/run/netns/${this.#name(host)}`;
  }

  /** A command to be run there by a user, for `Child` and the like. */
  command(host: MeshHost, uid: number, ...command: readonly string[]): readonly [string, ...string[]] {
    return ['nsenter', `--net=${this.path(host)}`, '-S', `${uid}`, '-G', `${uid}`, '--', ...command];
  }

  /** @returns what it wrote to stdout; rejects if it fails */
  run(host: MeshHost, uid: number, command: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
    const [program, ...args] = this.command(host, uid, ...command);
    const child = spawn(program, args, { env: { ...process.env, ...environment } });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => (stdout += String(data)));
    child.stderr.on('data', (data) => (stderr += String(data)));
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => {
        if (code === 0) resolve(stdout);
        else reject(new Error(`${command.join(' ')} ended with ${code}: ${stdout}${stderr}`));
      });
    });
  }

  [Symbol.dispose](): void {
    for (const host of Object.keys(hosts) as readonly MeshHost[]) ip('netns', 'delete', this.#name(host));
  }

  get #version(): readonly string[] {
    return this.family === 'ipv6' ? ['-6'] : [];
  }

  #name(host: MeshHost): string {
    return `mesh-${host}-${this.#suffix}`;
  }

  #join(host: MeshHost, device: string): void {
    const { prefix } = nets[this.family];
    const noWait = this.family === 'ipv6' ? ['nodad'] : [];
    this.#ip(host, ...this.#version, 'address', 'add', `${this.address(host)}/${prefix}`, 'dev', device, ...noWait);
    this.#ip(host, 'link', 'set', device, 'up');
  }

  #ip(host: MeshHost, ...args: readonly string[]): void {
    ip('-n', this.#name(host), ...args);
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
