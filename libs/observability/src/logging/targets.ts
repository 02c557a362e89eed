import pino from 'pino';

export interface Targets extends Disposable {
  write(line: string): void;
}

/** Opens `stdout`, `stderr` and files. Writing waits, so that nothing is lost when the process ends. */
export function openTargets(names: readonly string[]): Targets {
  const destinations = names.map((name) => pino.destination({ dest: descriptorOf(name), sync: true, mkdir: true }));
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
