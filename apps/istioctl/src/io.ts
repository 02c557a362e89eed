import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** What a command touches of the world around it. */
export interface Io {
  /** Where relative paths begin. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readStdin: () => string;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

export const processIo = (): Io => ({
  directory: process.cwd(),
  environment: process.env,
  readStdin: () => readFileSync(0, 'utf8'),
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});

/** A path as the user gave it; `-` is standard input. The error of a file that cannot be read names it. */
export function readInput(io: Io, path: string): string {
  if (path === '-') return io.readStdin();
  try {
    return readFileSync(resolve(io.directory, path), 'utf8');
  } catch (error) {
    throw new Error(`open ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
};

/** Why a file cannot be used, as the operating system says it. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}
