import { isLevel, type Level, levels } from './level.ts';
import { defaultLoggingOptions, defaultScope, type LoggingOptions, type ScopeLevels } from './options.ts';

/** A command-line flag, in a form that any command-line parser can be fed with. */
export interface LogFlag {
  readonly name: string;
  readonly kind: 'boolean' | 'string' | 'list';
  readonly description: string;
  readonly defaultValue?: string | readonly string[];
  /** Accepted because command lines of Istio's binaries may hold it. */
  readonly withoutEffect?: true;
}

export const logFlags: readonly LogFlag[] = [
  {
    name: 'log_output_level',
    kind: 'string',
    description: `comma-separated levels of scopes, each <scope>:<level>, with a level of ${levels.join(', ')}`,
    defaultValue: 'default:info',
  },
  {
    name: 'log_stacktrace_level',
    kind: 'string',
    description: 'comma-separated levels of scopes from which messages carry a stack trace',
    defaultValue: 'default:none',
  },
  {
    name: 'log_caller',
    kind: 'string',
    description: 'comma-separated scopes whose messages carry their place in the source',
  },
  { name: 'log_as_json', kind: 'boolean', description: 'log one JSON object a line' },
  { name: 'log_target', kind: 'list', description: 'where to log: paths, stdout or stderr', defaultValue: ['stdout'] },
  { name: 'log_rotate', kind: 'string', description: 'path of a rotated log', withoutEffect: true },
  { name: 'log_rotate_max_age', kind: 'string', description: 'days to keep rotated logs', withoutEffect: true },
  { name: 'log_rotate_max_backups', kind: 'string', description: 'number of rotated logs', withoutEffect: true },
  { name: 'log_rotate_max_size', kind: 'string', description: 'megabytes of a rotated log', withoutEffect: true },
  { name: 'vklog', kind: 'string', description: 'verbosity of the Kubernetes client', withoutEffect: true },
];

/** The parsed values of `logFlags`, by name. */
export type LogFlagValues = Readonly<Record<string, unknown>>;

/** @throws Error that names the flag and the part of its value that is wrong */
export function parseLogFlags(values: LogFlagValues): LoggingOptions {
  const text = (name: string): string => (typeof values[name] === 'string' ? values[name] : '');
  const targets = values.log_target;
  return {
    outputLevels: parseScopeLevels('log_output_level', text('log_output_level'), defaultLoggingOptions.outputLevels),
    stackTraceLevels: parseScopeLevels(
      'log_stacktrace_level',
      text('log_stacktrace_level'),
      defaultLoggingOptions.stackTraceLevels,
    ),
    callerScopes: new Set(parts(text('log_caller'))),
    json: values.log_as_json === true,
    targets: Array.isArray(targets) && targets.length > 0 ? targets.map(String) : defaultLoggingOptions.targets,
  };
}

/** One line for each flag that was given although it has no effect here. */
export function flagsWithoutEffect(values: LogFlagValues): readonly string[] {
  return logFlags
    .filter((flag) => flag.withoutEffect && values[flag.name] !== undefined)
    .map((flag) => `--${flag.name} has no effect`);
}

/** `<level>` alone is that of the default scope; `all:<level>` overrides every scope. */
function parseScopeLevels(flag: string, text: string, defaults: ScopeLevels): ScopeLevels {
  const given = parts(text).map((part): readonly [string, Level] => {
    const [first = '', second, ...rest] = part.split(':');
    const [scope, level] = second === undefined ? [defaultScope, first] : [first, second];
    if (rest.length > 0 || scope === '' || !isLevel(level)) {
      throw new Error(`--${flag}: "${part}" is not <scope>:<level> with a level of ${levels.join(', ')}`);
    }
    return [scope, level];
  });
  const all = given.find(([scope]) => scope === 'all');
  return all ? new Map([[defaultScope, all[1]]]) : new Map([...defaults, ...given]);
}

function parts(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
