import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import pino from 'pino';

export interface Targets extends Disposable {
  write(line: string): void;
}

/** Opens `stdout`, `stderr` and files. Writing waits, so that nothing is lost when the process ends. */
export function openTargets(names: readonly string[]): Targets {
  const destinations = names.map((name) => {
    const dest = descriptorOf(name);
    if (typeof dest === 'string') makeFolder(dirname(dest));
    return pino.destination({ dest, sync: true });
  });
  return {
    write: (line) => {
      for (const destination of destinations) destination.write(line);
    },
    [Symbol.dispose]: () => {
      for (const [index, destination] of destinations.entries()) {
        destination.flushSync();
        if (typeof descriptorOf(names[index] ?? '') === 'string') destination.end();
      }
    },
  };
}

function descriptorOf(name: string): number | string {
  return name === 'stdout' ? 1 : name === 'stderr' ? 2 : name;
}

/** Makes a folder and those above it. Node's own way of doing so doesn't end below /proc, where there can't be any. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  }
}
