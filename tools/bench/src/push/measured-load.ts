import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoadCommands, LoadStatus } from '../load/process.ts';
import { now } from '../load/proxy.ts';
import type { ChangeKind } from '../mesh/changes.ts';
import type { MeshFolder } from '../mesh/files.ts';
import { type DiscoveryProcess } from '../process/discovery-process.ts';
import { Remote } from '../process/remote.ts';
import { peakMiB, resetPeak, usageOf } from '../process/usage.ts';
import { waitUntil } from '../process/wait.ts';
import {
  type ChangeFigures,
  type ConnectFigures,
  type Cost,
  quantiles,
  type RestartFigures,
  trafficBetween,
} from './figures.ts';
import type { PushOptions } from './options.ts';

/** Nothing was received for so long: it is over. */
const QUIET_MS = 1_500;
const CONNECT_TIMEOUT_MS = 300_000;
const CHANGE_TIMEOUT_MS = 60_000;
/** A server that uses less than a tenth of a core in such an interval has nothing more to do. */
const IDLE_INTERVAL_MS = 500;
const IDLE_SHARE = 0.1;

/** Runs clients against the server, and measures both. */
export class MeasuredLoad implements Disposable {
  readonly #options: PushOptions;
  readonly #client = new Remote<LoadCommands>(fileURLToPath(new URL('../load/process.ts', import.meta.url)));
  #server: DiscoveryProcess;

  constructor(options: PushOptions, server: DiscoveryProcess) {
    this.#options = options;
    this.#server = server;
  }

  get server(): DiscoveryProcess {
    return this.#server;
  }

  status(): Promise<LoadStatus> {
    return this.#client.ask('status');
  }

  async connect(): Promise<ConnectFigures> {
    const { proxies, mode, shape } = this.#options;
    await this.#idle();
    const { rssMiB: idleRssMiB } = usageOf(this.#server.pid);
    const started = now();
    const cost = await this.#cost(async () => {
      await this.#client.ask('connect', { port: this.#server.port, proxies, mode, shape });
      await waitUntil(async () => (await this.status()).ready === proxies, CONNECT_TIMEOUT_MS);
    });
    const seconds = (await this.#client.ask('readyAfterMs')).map((ms) => ms / 1000);
    return {
      ...cost,
      ready: seconds.length,
      allReadySeconds: ((await this.#client.ask('lastReadyAt')) - started) / 1000,
      clientSeconds: quantiles(seconds),
      idleRssMiB,
      rssMiB: usageOf(this.#server.pid).rssMiB,
      peakRssMiB: peakMiB(this.#server.pid),
    };
  }

  async change({ make }: ChangeKind, step: number, mesh: MeshFolder): Promise<ChangeFigures> {
    const { files, pauseMs, marker, namespace = null } = make(this.#options.shape, step);
    const concerned = await this.#client.ask('inNamespace', namespace);
    await this.#client.ask('expect', marker);
    const { push: lastPush = 0 } = (await this.#server.pushes())[0] ?? {};
    let changedAt = 0;
    const cost = await this.#cost(async () => {
      for (const file of files) {
        mesh.put(file);
        changedAt = now();
        if (pauseMs > 0) await sleep(pauseMs);
      }
      await waitUntil(async () => (await this.status()).marked >= concerned, CHANGE_TIMEOUT_MS);
    });
    const received = await this.#client.ask('markedAt');
    return {
      ...cost,
      ms: quantiles(received.map((at) => at - changedAt)),
      concerned,
      seen: received.length,
      ...(await this.#computedSince(lastPush)),
      rssMiB: usageOf(this.#server.pid).rssMiB,
      peakRssMiB: peakMiB(this.#server.pid),
    };
  }

  /**
   * The server ends, without a word unless it is to leave a profile; another takes its place, to which all connect again
   * with what they hold.
   */
  async restart(start: (port: number) => Promise<DiscoveryProcess>): Promise<RestartFigures> {
    const { port } = this.#server;
    const { connects } = await this.status();
    await (this.#options.profile === undefined ? this.#server.kill() : this.#server.stop());
    this.#server = await start(port);
    const started = now();
    let ended = started;
    const cost = await this.#cost(async () => {
      const wanted = connects + this.#options.proxies;
      await waitUntil(async () => (await this.status()).connects >= wanted, CONNECT_TIMEOUT_MS);
      ended = await this.#idle();
    });
    return { ...cost, seconds: (ended - started) / 1000, peakRssMiB: peakMiB(this.#server.pid) };
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  async #computedSince(
    lastPush: number,
  ): Promise<Pick<ChangeFigures, 'computed' | 'encoded' | 'makingMs' | 'assemblingMs'>> {
    const counts = new Map<string, number>();
    let encoded = 0;
    let makingMs = 0;
    let assemblingMs = 0;
    for (const { push, computed } of await this.#server.pushes()) {
      if (push <= lastPush) break;
      for (const { query, count, ownMs, encodes, assembles } of computed) {
        counts.set(query, (counts.get(query) ?? 0) + count);
        if (encodes) encoded += count;
        if (assembles) assemblingMs += ownMs;
        else makingMs += ownMs;
      }
    }
    const computed = Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
    return { computed, encoded, makingMs, assemblingMs };
  }

  /** What something costs until nothing more is received and the server has nothing more to do. */
  async #cost(run: () => Promise<void>): Promise<Cost> {
    resetPeak(this.#server.pid);
    const before = await this.status();
    const { cpuSeconds } = usageOf(this.#server.pid);
    await run();
    await waitUntil(async () => now() - (await this.status()).lastMessageAt > QUIET_MS, CONNECT_TIMEOUT_MS);
    await this.#idle();
    const after = await this.status();
    return {
      serverCpuSeconds: usageOf(this.#server.pid).cpuSeconds - cpuSeconds,
      clientCpuSeconds: after.cpuSeconds - before.cpuSeconds,
      traffic: trafficBetween(before.traffic, after.traffic),
    };
  }

  /** Waits until the server has nothing to do. @returns since when. */
  async #idle(): Promise<number> {
    let since = now();
    let used = usageOf(this.#server.pid).cpuSeconds;
    await waitUntil(async () => {
      const began = now();
      await sleep(IDLE_INTERVAL_MS);
      const { cpuSeconds } = usageOf(this.#server.pid);
      const share = (cpuSeconds - used) / ((now() - began) / 1000);
      used = cpuSeconds;
      since = began;
      return share < IDLE_SHARE;
    }, CONNECT_TIMEOUT_MS);
    return since;
  }
}
