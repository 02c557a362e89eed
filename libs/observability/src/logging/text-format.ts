import { defaultScope } from './options.ts';

/** A log entry as it is written: what JSON output prints, and text output is made from. */
export interface LogEntry {
  readonly time: string;
  readonly level: string;
  readonly scope: string;
  readonly caller?: string;
  readonly msg: string;
  readonly stack?: string;
  readonly [field: string]: unknown;
}

/** `TIME\tLEVEL\tSCOPE\tMESSAGE\tKEY=VALUE KEY=VALUE`, without the name of the default scope; a stack follows on lines of its own. */
export function formatText(entry: LogEntry): string {
  const { time, level, scope, caller, msg, stack, ...fields } = entry;
  const labels = Object.entries(fields).map(([key, value]) => `${key}=${formatValue(value)}`);
  const columns = [time, level, scope === defaultScope ? undefined : scope, caller, msg, labels.join(' ') || undefined];
  const line = columns.filter((column) => column !== undefined).join('\t');
  return stack === undefined ? `${line}\n` : `${line}\n${stack}\n`;
}

function formatValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /[\s"=]/.test(value) || value === '' ? JSON.stringify(value) : value;
}
