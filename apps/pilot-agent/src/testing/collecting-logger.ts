import { type Logger, createLogging } from '@kedge/observability';

/** A logger whose lines are collected. */
export function collectingLogger(): { readonly log: Logger; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const logging = createLogging(undefined, { write: (line) => lines.push(line) });
  return { log: logging.scope('default'), lines };
}
