import type { Marker, ShortType } from '../mesh/changes.ts';
import type { MeshShape } from '../mesh/shape.ts';
import { serveCommands } from '../process/remote.ts';
import { dialects } from './dialect.ts';
import { proxyIdentity } from './node.ts';
import { Proxy, type Traffic } from './proxy.ts';
import { type Mode, ResourceReader } from './resources.ts';

// The process of all proxies. Its threads are those of Node: one parses, so its CPU is less than the server's by far.

interface Load {
  readonly port: number;
  readonly proxies: number;
  readonly mode: Mode;
  readonly shape: MeshShape;
}

/** Times are in milliseconds since 1970. */
export interface LoadStatus {
  readonly ready: number;
  /** How many have received the change that is waited for. */
  readonly marked: number;
  readonly connects: number;
  readonly lastMessageAt: number;
  readonly traffic: Readonly<Record<ShortType, Traffic>>;
  readonly cpuSeconds: number;
  /** Why streams ended, each reason once. */
  readonly ended: readonly string[];
}

const types: readonly ShortType[] = ['CDS', 'EDS', 'LDS', 'RDS'];

let proxies: readonly Proxy[] = [];
let reader = new ResourceReader('delta');

const commands = {
  connect({ port, proxies: count, mode, shape }: Load): void {
    reader = new ResourceReader(mode);
    const dialect = dialects[mode];
    const identities = Array.from({ length: count }, (_, index) => proxyIdentity(index, shape));
    proxies = identities.map((identity) => new Proxy({ port, identity, dialect, reader }));
  },

  expect(marker: Marker): void {
    reader.expect(marker);
    for (const proxy of proxies) proxy.markedAt = 0;
  },

  status(): LoadStatus {
    const { user, system } = process.cpuUsage();
    return {
      ready: count(({ readyAt }) => readyAt > 0),
      marked: count(({ markedAt }) => markedAt > 0),
      connects: sum(({ connects }) => connects),
      lastMessageAt: Math.max(...proxies.map(({ lastMessageAt }) => lastMessageAt)),
      traffic: trafficOfAll(),
      cpuSeconds: (user + system) / 1e6,
      ended: [...new Set(proxies.map(({ ended }) => ended))].filter((reason) => reason !== ''),
    };
  },

  /** How long each took until it had all. */
  readyAfterMs: (): readonly number[] =>
    proxies.filter(({ readyAt }) => readyAt > 0).map(({ readyAt, startedAt }) => readyAt - startedAt),

  lastReadyAt: (): number => Math.max(...proxies.map(({ readyAt }) => readyAt)),

  /** When each received the change. */
  markedAt: (): readonly number[] => proxies.map(({ markedAt }) => markedAt).filter((at) => at > 0),

  /** How many proxies are of a namespace; all where none is given. */
  inNamespace: (name: string | null): number => count(({ namespace }) => name === null || namespace === name),
};

export type LoadCommands = typeof commands;

const count = (matches: (proxy: Proxy) => boolean): number => proxies.filter(matches).length;
const sum = (value: (proxy: Proxy) => number): number => proxies.reduce((total, proxy) => total + value(proxy), 0);

function trafficOfAll(): Readonly<Record<ShortType, Traffic>> {
  const [CDS, EDS, LDS, RDS] = types.map((type) => ({
    messages: sum(({ traffic }) => traffic[type].messages),
    bytes: sum(({ traffic }) => traffic[type].bytes),
    sentBytes: sum(({ traffic }) => traffic[type].sentBytes),
  })) as [Traffic, Traffic, Traffic, Traffic];
  return { CDS, EDS, LDS, RDS };
}

serveCommands(commands);
