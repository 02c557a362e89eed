import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';

/** Why tests that need namespaces and these programs can't run; undefined if they can. */
export function missingForRoot(programs: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length > 0) return `there is no ${missing.join(', ')}`;
  return spawnSync('unshare', ['-n', 'true']).status === 0 ? undefined : 'network namespaces cannot be made';
}

/** Connects to where nobody is, while something listens where the proxy does, and says who answers. */
const probe = `
  const net = require('node:net');
  const server = net.createServer((socket) => socket.end('proxy')).listen(15001, '::', () => {
    const end = (answer) => { console.log(answer); process.exit(); };
    setTimeout(end, 1000, 'nobody');
    net.connect(80, process.argv[1]).on('error', () => end('nobody')).on('data', (data) => end(String(data)));
  });
`;

/** A network namespace as a runtime makes it for a pod, with an address of its own. */
export class PodNamespace implements Disposable {
  readonly name: string;
  readonly #processes: ChildProcess[] = [];

  constructor(name: string, address = '10.88.0.2') {
    this.name = `cni-${name}-${process.pid}`;
    const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    ip('netns', 'add', this.name);
    ip('-n', this.name, 'link', 'set', 'lo', 'up');
    ip('-n', this.name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer0');
    ip('-n', this.name, 'link', 'set', 'peer0', 'up');
    ip('-n', this.name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', this.name, 'link', 'set', 'eth0', 'up');
    ip('-n', this.name, 'route', 'add', 'default', 'dev', 'eth0');
  }

  get path(): string {
    return `/run/netns/${this.name}`;
  }

  /** Who gets a connection that leaves the pod. */
  answerTo(address: string): string {
    return this.output(process.execPath, '-e', probe, address).trim();
  }

  output(program: string, ...args: readonly string[]): string {
    return execFileSync('ip', ['netns', 'exec', this.name, program, ...args], { encoding: 'utf8' });
  }

  /** As the container that keeps a pod's namespace. */
  start(program: string, ...args: readonly string[]): void {
    this.#processes.push(spawn('nsenter', [`--net=${this.path}`, program, ...args], { stdio: 'ignore' }));
  }

  [Symbol.dispose](): void {
    for (const child of this.#processes) child.kill('SIGKILL');
    execFileSync('ip', ['netns', 'delete', this.name]);
  }
}
