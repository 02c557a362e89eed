import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../load/proxy.ts';
import { Remote } from '../process/remote.ts';
import { usageOf } from '../process/usage.ts';
import { waitUntil } from '../process/wait.ts';
import type { FloorClientCommands } from './client-process.ts';
import type { FloorServerCommands } from './server-process.ts';

export interface FloorFigures {
  readonly cpuSeconds: number;
  /** Until the last client had the last message. */
  readonly ms: number;
}

/** A message to a client, and all that the client sends before the next one: its acknowledgement, and what it asks for. */
export interface Exchange {
  readonly bytes: number;
  readonly acknowledgement: number;
}

const TIMEOUT_MS = 120_000;
const SETTLE_MS = 300;

/** What transport alone costs: a bare writer of node:http2 that sends and receives as much in as many messages. */
export class Floor implements Disposable {
  readonly #server: Remote<FloorServerCommands>;
  readonly #client: Remote<FloorClientCommands>;
  readonly #clients: number;

  private constructor(server: Remote<FloorServerCommands>, client: Remote<FloorClientCommands>, clients: number) {
    this.#server = server;
    this.#client = client;
    this.#clients = clients;
  }

  static async start(clients: number): Promise<Floor> {
    const server = new Remote<FloorServerCommands>(fileURLToPath(new URL('server-process.ts', import.meta.url)));
    const client = new Remote<FloorClientCommands>(fileURLToPath(new URL('client-process.ts', import.meta.url)));
    const port = await server.ask('listen');
    await client.ask('connect', { port, count: clients });
    await sleep(SETTLE_MS + clients);
    return new Floor(server, client, clients);
  }

  /** @param exchanges of each client, one after the other. */
  async replay(exchanges: readonly Exchange[]): Promise<FloorFigures> {
    const before = (await this.#client.ask('status')).received;
    await this.#client.ask('expect', exchanges);
    const { cpuSeconds } = usageOf(this.#server.pid);
    const started = now();
    await this.#server.ask('send', exchanges);
    const wanted = before + exchanges.length * this.#clients;
    await waitUntil(async () => (await this.#client.ask('status')).received >= wanted, TIMEOUT_MS);
    await sleep(SETTLE_MS);
    const { lastAt } = await this.#client.ask('status');
    return { cpuSeconds: usageOf(this.#server.pid).cpuSeconds - cpuSeconds, ms: Math.max(0, lastAt - started) };
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
    this.#server[Symbol.dispose]();
  }
}
