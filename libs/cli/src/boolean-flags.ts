import { type Command, InvalidArgumentError, type Option } from 'commander';

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** The value of a flag, as Go reads it. */
export function parseBoolean(value: string): boolean {
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  throw new InvalidArgumentError(`"${value}" is neither true nor false.`);
}

/**
 * Arguments in which `--flag=true` is `--flag`, and `--flag=false` is left out, for flags that take no value: programs written in Go
 * take them so, and scripts have them.
 */
export function withBooleanFlags(program: Command, args: readonly string[]): readonly string[] {
  const options = optionsOf(program);
  const end = args.indexOf('--');
  return args.flatMap((argument, index) => {
    const [, flag, value = ''] = /^(--[\w-]+)=(\w+)$/.exec(argument) ?? [];
    const named = options.filter(({ long }) => long === flag);
    if (flag === undefined || (end >= 0 && index > end) || !named.every(isSwitch) || named.length === 0)
      return [argument];
    if (TRUE.has(value)) return [flag];
    return FALSE.has(value) ? [] : [argument];
  });
}

/** What is on of itself cannot be told from what was switched on. */
const isSwitch = (option: Option): boolean => option.isBoolean() && option.defaultValue !== true;

const optionsOf = (command: Command): readonly Option[] => [...command.options, ...command.commands.flatMap(optionsOf)];
