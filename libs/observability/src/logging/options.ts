import { type Level } from './level.ts';

/** The scope of what belongs to no other; its name is not printed. */
export const defaultScope = 'default';

/** A level for each scope that has one of its own; the level of `default` is that of all others. */
export type ScopeLevels = ReadonlyMap<string, Level>;

export interface LoggingOptions {
  readonly outputLevels: ScopeLevels;
  /** From which level a message carries the stack; scopes as in `outputLevels`, `none` where there is no entry. */
  readonly stackTraceLevels: ScopeLevels;
  /** The scopes whose messages carry the place in the source, by name. */
  readonly callerScopes: ReadonlySet<string>;
  /** One JSON object a line rather than text. */
  readonly json: boolean;
  /** `stdout`, `stderr` or paths of files, which are appended to. */
  readonly targets: readonly string[];
}

export const defaultLoggingOptions: LoggingOptions = {
  outputLevels: new Map([[defaultScope, 'info']]),
  stackTraceLevels: new Map([[defaultScope, 'none']]),
  callerScopes: new Set(),
  json: false,
  targets: ['stdout'],
};
