import type { ShortType } from '../mesh/changes.ts';
import type { Traffic } from '../load/proxy.ts';
import type { Mode } from '../load/resources.ts';
import type { Exchange, FloorFigures } from '../floor/floor.ts';

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What the server used for something, and what clients got of it. Traffic is of all clients. */
export interface Cost {
  readonly serverCpuSeconds: number;
  readonly clientCpuSeconds: number;
  readonly traffic: Readonly<Record<ShortType, Traffic>>;
}

export interface ConnectFigures extends Cost {
  readonly ready: number;
  /** Until the last client had all that it asked for. */
  readonly allReadySeconds: number;
  readonly clientSeconds: Quantiles;
  readonly idleRssMiB: number;
  readonly rssMiB: number;
  readonly peakRssMiB: number;
}

export interface ChangeFigures extends Cost {
  /** From the end of the writing of the change to its receipt by each client. */
  readonly ms: Quantiles;
  readonly concerned: number;
  readonly seen: number;
  /** How often values of each query were computed for it: its cost, whatever the machine. */
  readonly computed: Readonly<Record<string, number>>;
  /** How many resources and pieces of them were encoded for it. */
  readonly encoded: number;
  /** Milliseconds of planning, making and encoding what is new; */
  readonly makingMs: number;
  /** and of putting it together with what isn't, which is in proportion to the mesh. Neither holds the sending. */
  readonly assemblingMs: number;
  readonly rssMiB: number;
  readonly peakRssMiB: number;
}

export interface RestartFigures extends Cost {
  /** From when the server accepts connections until it has nothing more to do. */
  readonly seconds: number;
  readonly peakRssMiB: number;
}

/** One run of the bench. */
export interface PushFigures {
  readonly at: string;
  readonly machine: { readonly cpus: number; readonly model: string; readonly node: string };
  readonly services: number;
  readonly endpoints: number;
  readonly namespaces: number;
  readonly sidecar: boolean;
  readonly proxies: number;
  readonly mode: Mode;
  readonly connect: ConnectFigures;
  /** Each repetition, by the name of the change. */
  readonly changes: Readonly<Record<string, readonly ChangeFigures[]>>;
  readonly restart?: RestartFigures;
  /** Transport alone, of `connect` and of each change. */
  readonly floor?: Readonly<Record<string, FloorFigures>>;
  /** Why streams ended meanwhile. */
  readonly ended: readonly string[];
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

const median = (values: readonly number[]): number => quantiles(values).p50;

/** The median of each figure over repetitions, in which each stands by itself. */
export function medianOf(repetitions: readonly ChangeFigures[]) {
  const of = (value: (figures: ChangeFigures) => number): number => median(repetitions.map(value));
  return {
    p50: of(({ ms }) => ms.p50),
    p99: of(({ ms }) => ms.p99),
    max: of(({ ms }) => ms.max),
    serverCpuSeconds: of(({ serverCpuSeconds }) => serverCpuSeconds),
    messages: of(({ traffic }) => total(traffic).messages),
    bytes: of(({ traffic }) => total(traffic).bytes),
    peakRssMiB: of(({ peakRssMiB }) => peakRssMiB),
    // Figures of former versions have none.
    values: of(({ computed }) => sum(Object.values(computed ?? {}))),
    encoded: of(({ encoded = 0 }) => encoded),
    makingMs: of(({ makingMs = 0 }) => makingMs),
    assemblingMs: of(({ assemblingMs = 0 }) => assemblingMs),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function total(traffic: Readonly<Record<ShortType, Traffic>>): Traffic {
  const all = Object.values(traffic);
  const of = (value: (traffic: Traffic) => number): number => sum(all.map(value));
  return {
    messages: of(({ messages }) => messages),
    bytes: of(({ bytes }) => bytes),
    sentBytes: of(({ sentBytes }) => sentBytes),
  };
}

export function trafficBetween(
  before: Readonly<Record<ShortType, Traffic>>,
  after: Readonly<Record<ShortType, Traffic>>,
): Readonly<Record<ShortType, Traffic>> {
  const of = (type: ShortType): Traffic => ({
    messages: after[type].messages - before[type].messages,
    bytes: after[type].bytes - before[type].bytes,
    sentBytes: after[type].sentBytes - before[type].sentBytes,
  });
  return { CDS: of('CDS'), EDS: of('EDS'), LDS: of('LDS'), RDS: of('RDS') };
}

/** The messages that each client got, with what it sent for each, as nearly as totals tell. */
export function exchangesOf(traffic: Readonly<Record<ShortType, Traffic>>, clients: number): readonly Exchange[] {
  return Object.values(traffic).flatMap(({ messages, bytes, sentBytes }) => {
    const each = Math.round(messages / clients);
    const share = (total: number): number => Math.round(total / clients / each);
    return Array.from({ length: each }, () => ({ bytes: share(bytes), acknowledgement: share(sentBytes) }));
  });
}
