import { logFlags } from '@kedge/observability';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** A whole number on the command line. */
export function integer(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

/** Adds the logging flags that every command of the binary takes. */
export function addLogFlags(command: Command): Command {
  for (const { name, kind, description } of logFlags) {
    const value = { boolean: '', string: ' <value>', list: ' <value...>' }[kind];
    command.addOption(new Option(`--${name}${value}`, description));
  }
  return command;
}
