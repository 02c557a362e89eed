import { readFileSync, writeFileSync } from 'node:fs';

/** Kernel ticks a second, and bytes of a page, as Linux has them on x86 and ARM. */
const TICKS = 100;
const PAGE_BYTES = 4096;
const MIB = 1 << 20;

export interface Usage {
  /** User and system time of all threads since the process began. */
  readonly cpuSeconds: number;
  readonly rssMiB: number;
}

/** What a process uses, as Linux tells. */
export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before it may hold spaces. Fields are counted from the state, the third of proc(5).
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0] = fields.slice(11, 13);
  return { cpuSeconds: (user + system) / TICKS, rssMiB: ((fields[21] ?? 0) * PAGE_BYTES) / MIB };
}

/** The most that a process held since it began, or since `resetPeak`. */
export function peakMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
