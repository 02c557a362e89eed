import pino, { type Logger as PinoLogger } from 'pino';
import { admits, type Level, type MessageLevel } from './level.ts';
import { defaultLoggingOptions, defaultScope, type LoggingOptions, type ScopeLevels } from './options.ts';
import { redact, redactValue } from './redact.ts';
import { callSite, stackOf } from './stack.ts';
import { openTargets } from './targets.ts';
import { formatText, type LogEntry } from './text-format.ts';

/** What is known beside the message. An `error` field gives its message. */
export type Fields = Readonly<Record<string, unknown>>;

/** Logs for one scope. Secrets in messages and fields are left out (`redact`). */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  fatal(message: string, fields?: Fields): void;
  /** For messages that are costly to make. */
  enabled(level: MessageLevel): boolean;
  /** A logger that adds these fields to every message. */
  with(fields: Fields): Logger;
}

export interface ScopeState {
  readonly name: string;
  readonly description: string;
  readonly level: Level;
}

export interface Logging extends Disposable {
  /** The logger of a scope; the first call with a description gives the scope its description. */
  scope(name: string, description?: string): Logger;
  /** The scopes in use, sorted by name. */
  scopes(): readonly ScopeState[];
  /** Changes the level of a scope, in use or not; the default scope's level is that of all without one of their own. */
  setLevel(scope: string, level: Level): void;
}

/** Where lines go, and the time they carry; for tests. */
export interface LoggingEdge {
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

interface Scope {
  readonly name: string;
  description: string;
  readonly pino: PinoLogger;
}

/** The logging of one process. There is no global one: whoever logs is given a `Logger`. */
export function createLogging(options: LoggingOptions = defaultLoggingOptions, edge: LoggingEdge = {}): Logging {
  const targets = edge.write ? undefined : openTargets(options.targets);
  const write = edge.write ?? ((line: string) => targets?.write(line));
  const now = edge.now ?? (() => new Date());
  const outputLevels = new Map(options.outputLevels);
  const scopes = new Map<string, Scope>();

  const root = pino(
    {
      base: null,
      level: 'debug',
      formatters: { level: (label) => ({ level: label }) },
      // Milliseconds, written as Istio's microseconds.
      timestamp: () => `,"time":"${now().toISOString().slice(0, -1)}000Z"`,
    },
    { write: options.json ? write : (line: string) => write(formatText(JSON.parse(line) as LogEntry)) },
  );

  const scopeOf = (name: string, description: string): Scope => {
    let scope = scopes.get(name);
    if (scope === undefined) {
      scope = {
        name,
        description,
        pino: root.child({ scope: name }, { level: pinoLevel(levelOf(outputLevels, name)) }),
      };
      scopes.set(name, scope);
    }
    if (scope.description === '') scope.description = description;
    return scope;
  };

  const loggerOf = (scope: Scope, bound: Fields): Logger => {
    const stackLevel = levelOf(options.stackTraceLevels, scope.name);
    const withCaller = options.callerScopes.has(scope.name) || options.callerScopes.has('all');
    const enabled = (level: MessageLevel): boolean => scope.pino.isLevelEnabled(level);
    const at = (level: MessageLevel) => {
      const log = (message: string, fields?: Fields): void => {
        if (!enabled(level)) return;
        const caller = withCaller ? { caller: callSite(log) } : undefined;
        const stack = admits(stackLevel, level) ? { stack: stackOf(fields?.error, log) } : undefined;
        scope.pino[level]({ ...safeFields({ ...bound, ...fields }), ...caller, ...stack }, redact(message));
      };
      return log;
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      fatal: at('fatal'),
      enabled,
      with: (fields) => loggerOf(scope, { ...bound, ...fields }),
    };
  };

  return {
    scope: (name, description = '') => loggerOf(scopeOf(name, description), {}),
    scopes: () =>
      [...scopes.values()]
        .map(({ name, description }) => ({ name, description, level: levelOf(outputLevels, name) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    setLevel: (name, level) => {
      outputLevels.set(name, level);
      for (const scope of scopes.values()) scope.pino.level = pinoLevel(levelOf(outputLevels, scope.name));
    },
    [Symbol.dispose]: () => targets?.[Symbol.dispose](),
  };
}

/** The keys that every entry has; a field of such a name is written with an underscore. */
const entryKeys: ReadonlySet<string> = new Set(['time', 'level', 'scope', 'caller', 'msg', 'stack']);

function safeFields(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [entryKeys.has(key) ? `${key}_` : key, redactValue(value, key)]),
  );
}

function levelOf(levels: ScopeLevels, scope: string): Level {
  return levels.get(scope) ?? levels.get(defaultScope) ?? 'none';
}

function pinoLevel(level: Level): string {
  return level === 'none' ? 'silent' : level;
}
