import { logFlags } from '@kedge/observability';
import { type Command, Option } from 'commander';

/** Adds the logging flags to a command; `parseLogFlags(command.opts())` of @kedge/observability reads them. */
export function addLogFlags(command: Command): Command {
  for (const flag of logFlags) {
    const value = { boolean: '', string: ' <string>', list: ' <path>' }[flag.kind];
    const description = flag.withoutEffect ? `${flag.description} (no effect)` : flag.description;
    const written = typeof flag.defaultValue === 'object' ? flag.defaultValue.join(',') : undefined;
    const option = new Option(`--${flag.name}${value}`, description).default(flag.defaultValue, written);
    if (flag.kind === 'list') option.argParser(collect(flag.defaultValue));
    command.addOption(option.hideHelp(flag.withoutEffect === true));
  }
  return command;
}

/** Each use of the flag adds to a list that replaces the default. */
function collect(defaultValue: unknown) {
  return (value: string, previous: unknown): readonly string[] => {
    const values = value.split(',');
    return previous === defaultValue ? values : [...(previous as readonly string[]), ...values];
  };
}
