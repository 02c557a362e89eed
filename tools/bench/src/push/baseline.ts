import { readFileSync } from 'node:fs';
import type { Mode } from '../load/resources.ts';
import type { PushFigures } from './figures.ts';

/** What istiod needed for the same work. KiB are per client. */
export interface BaselineEntry {
  readonly services: number;
  readonly endpoints: number;
  readonly proxies: number;
  readonly mode: Mode;
  readonly sidecar?: boolean;
  readonly connect: {
    readonly allReadySeconds: number;
    readonly cpuSeconds: number;
    readonly idleRssMiB: number;
    readonly rssMiB: number;
    readonly peakRssMiB: number;
    readonly kib: number;
  };
  readonly changes: Readonly<Record<string, BaselineChange>>;
}

export interface BaselineChange {
  /** Median, 99th percentile and maximum. */
  readonly ms: readonly [p50: number, p99: number, max: number];
  readonly cpuSeconds: number;
  readonly kib?: number;
}

interface Baseline {
  /** What was measured, and how far it can be compared. */
  readonly about: string;
  readonly entries: readonly BaselineEntry[];
}

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(new URL('istiod-baseline.json', import.meta.url), 'utf8')) as Baseline;
}

/** The entry of the same workload, if it was measured. */
export function baselineOf({ entries }: Baseline, figures: PushFigures): BaselineEntry | undefined {
  const { services, endpoints, proxies, mode, sidecar } = figures;
  return entries.find(
    (entry) =>
      entry.services === services &&
      entry.endpoints === endpoints &&
      entry.proxies === proxies &&
      entry.mode === mode &&
      (entry.sidecar ?? false) === sidecar,
  );
}
