import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What a forked process can be asked. Arguments and results are JSON. */
export type Commands = Readonly<Record<string, (argument: never) => unknown>>;

interface Request {
  readonly id: number;
  readonly command: string;
  readonly argument: unknown;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Answers what the parent asks, in the forked process. */
export function serveCommands(commands: Commands): void {
  process.on('message', ({ id, command, argument }: Request) => {
    const reply = async (): Promise<Reply> => {
      try {
        return { id, result: await commands[command]?.(argument as never) };
      } catch (error) {
        return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
    };
    void reply().then((message) => process.send?.(message));
  });
  process.on('disconnect', () => process.exit());
}

/** A forked process of this program, by what it can be asked. */
export class Remote<C extends Commands> implements Disposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;

  constructor(file: string) {
    this.#child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', ({ id, result, error }: Reply) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    });
    void once(this.#child, 'exit').then(([code]) => this.#fail(new Error(`${file} ended with ${String(code)}`)));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ask<K extends keyof C & string>(
    command: K,
    ...[argument]: Parameters<C[K]>
  ): Promise<Awaited<ReturnType<C[K]>>> {
    const id = (this.#asked += 1);
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#child.send({ id, command, argument } satisfies Request);
    return (await waiting.promise) as Awaited<ReturnType<C[K]>>;
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
    this.#child.kill('SIGKILL');
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
