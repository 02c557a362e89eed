/** CPU time of a repeated piece of work, in milliseconds. */
export interface Measurement {
  /** The first run: codecs are made, code isn't optimised yet. */
  readonly first: number;
  readonly median: number;
}

/** Runs the work `runs` times and takes the CPU time of this process each time. */
export function measure(work: () => void, runs = 15): Measurement {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  const sorted = times.toSorted((a, b) => a - b);
  return { first: times[0] ?? 0, median: sorted[Math.floor(runs / 2)] ?? 0 };
}

/** Prints rows of text in columns, the first to the left, the others to the right. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)));
    console.log(`  ${cells.join('  ')}`);
  }
}
