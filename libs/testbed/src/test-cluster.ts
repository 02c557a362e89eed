import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** In bytes. All definitions together are more than Node's own limit. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/**
 * A Kubernetes cluster for tests: a folder with `admin.kubeconfig`, `bin/kubectl` and `bin/helm`, and, if it has a node, `run/ns.pid`, the
 * process whose namespaces are that node, with a kubelet and containerd.
 */
export class TestCluster {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * The cluster that `CLUSTER_DIR` names.
   *
   * @param needs `node`: one that runs pods, which takes root; `api`: an API server
   * @returns or why there is none
   */
  static find(needs: 'api' | 'node'): TestCluster | string {
    const { CLUSTER_DIR: dir } = process.env;
    if (!dir) return 'CLUSTER_DIR is not set';
    const cluster = new TestCluster(dir);
    const isUp = existsSync(cluster.kubeconfig) && cluster.#kubectl(['get', 'namespaces']).status === 0;
    if (!isUp) return `the API server of ${dir} does not answer`;
    if (needs === 'api') return cluster;
    if (process.getuid?.() !== 0) return 'it needs root';
    return existsSync(cluster.#nodeFile) ? cluster : `${dir} has no node`;
  }

  get kubeconfig(): string {
    return join(this.#dir, 'admin.kubeconfig');
  }

  /** @throws Error with what kubectl said */
  kubectl(...args: readonly string[]): string {
    return this.#succeed(args);
  }

  /** Makes and changes objects. */
  apply(...items: readonly object[]): void {
    this.#succeed(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  /** Has objects judged by the API server as if they were new. @throws Error with what it says against them */
  dryRun(...items: readonly object[]): void {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    this.#succeed(['create', '--dry-run=server', '--validate=ignore', '-f', '-'], list);
  }

  /** An object or a list of them. */
  get(...args: readonly string[]): unknown {
    return JSON.parse(this.kubectl('get', ...args, '-o', 'json'));
  }

  /**
   * Runs the first Helm of `HELM_BIN`, or else that of the folder.
   *
   * @param values what it reads as `-f -`
   * @throws Error with what it said
   */
  helm(args: readonly string[], values: object = {}): string {
    const helm = process.env.HELM_BIN?.split(delimiter)[0] ?? join(this.#dir, 'bin/helm');
    const options = { input: JSON.stringify(values), encoding: 'utf8', maxBuffer: MAX_OUTPUT } as const;
    return outputOf('helm', spawnSync(helm, ['--kubeconfig', this.kubeconfig, ...args], options), args);
  }

  /** Runs a program in the namespaces of the node. */
  onNode(program: string, ...args: readonly string[]): string {
    const pid = readFileSync(this.#nodeFile, 'utf8').trim();
    return execFileSync('nsenter', ['-t', pid, '-a', program, ...args], { encoding: 'utf8', stdio: 'pipe' });
  }

  /** Brings an archive of images to the node's containerd. */
  importImages(archive: string): void {
    this.onNode('ctr', '-n', 'k8s.io', 'images', 'import', archive);
  }

  get #nodeFile(): string {
    return join(this.#dir, 'run/ns.pid');
  }

  #succeed(args: readonly string[], input = ''): string {
    return outputOf('kubectl', this.#kubectl(args, input), args);
  }

  #kubectl(args: readonly string[], input = '') {
    const kubectl = join(this.#dir, 'bin/kubectl');
    return spawnSync(kubectl, ['--kubeconfig', this.kubeconfig, ...args], {
      input,
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT,
    });
  }
}

function outputOf(program: string, result: SpawnSyncReturns<string>, args: readonly string[]): string {
  const { status, stdout, stderr, error } = result;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
