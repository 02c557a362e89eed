import { type ChildProcess, spawn } from 'node:child_process';
import { descendantsOf, isAlive, signalProcess } from './processes.ts';
import { until } from './until.ts';

export interface ChildOptions {
  /** What messages call the process. */
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const MOST_LINES = 1000;
const KILL_AFTER_MS = 5000;

/** A process with its output, which leaves nothing behind: what it started ends with it. */
export class Child implements AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** Settles at its end, with how it ended. */
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;
  readonly #lines: string[] = [];
  #stopping: Promise<void> | undefined;
  #hasEnded = false;

  constructor({ name, command: [program, ...args], cwd, environment }: ChildOptions) {
    this.name = name;
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd !== undefined && { cwd }),
      ...(environment && { env: { ...process.env, ...environment } }),
    });
    this.#process = child;
    this.pid = child.pid ?? 0;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', this.#keep);
    const { promise, resolve } = Promise.withResolvers<string>();
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`));
    this.ended = promise.finally(() => (this.#hasEnded = true));
  }

  /** Whether it was asked to end. */
  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The last lines that it wrote. */
  tail(lines = MOST_LINES): readonly string[] {
    return this.#lines.slice(-lines);
  }

  /** Rejects with the tail of the output if the process ends before it is asked to. */
  async unexpectedEnd(): Promise<never> {
    const how = await this.ended;
    if (this.stopping) return new Promise(() => undefined);
    throw new Error(`${this.name} ${how}:\n${this.tail(20).join('\n')}`);
  }

  /** Ends the process, by force where SIGTERM doesn't, and then what is left of the processes that it started. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    if (this.pid === 0) return;
    const family = [this.pid, ...descendantsOf(this.pid)];
    if (!this.#hasEnded) this.#process.kill('SIGTERM');
    const killer = setTimeout(() => this.#process.kill('SIGKILL'), KILL_AFTER_MS);
    await this.ended;
    clearTimeout(killer);
    for (const pid of family) if (isAlive(pid)) signalProcess(pid, 'SIGKILL');
    await until(`the end of what ${this.name} started`, () => !family.some(isAlive));
  }

  readonly #keep = (chunk: string): void => {
    this.#lines.push(...chunk.split('\n').filter((line) => line !== ''));
    this.#lines.splice(0, this.#lines.length - MOST_LINES);
  };
}
