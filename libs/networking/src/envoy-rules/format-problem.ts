import { FORMAT_COMMANDS } from './format-commands.ts';

/** A command, or an escaped `%`. */
const COMMAND = /%(?:%|([A-Z0-9_]+)(?:\((.*?)\))?(?::(\d{1,19}))?%)/gs;

/** What Envoy has against a format; where it has further formatters, they may know commands that aren't known here. */
export function formatProblem(format: string, hasFormatters = false): string | undefined {
  if (!format.includes('%')) return undefined;
  if (format.replaceAll(COMMAND, '').includes('%')) return 'a "%" that begins no command is written "%%"';
  for (const [command, name, parameters = '', length] of format.matchAll(COMMAND)) {
    const problem = name === undefined ? undefined : commandProblem(name, parameters, length, hasFormatters);
    if (problem !== undefined) return `${command} ${problem}`;
  }
  return undefined;
}

function commandProblem(
  name: string,
  parameters: string,
  length: string | undefined,
  mayBeUnknown: boolean,
): string | undefined {
  const form = FORMAT_COMMANDS.get(name);
  if (!form) return mayBeUnknown ? undefined : 'is not known to proxies';
  if (length !== undefined && !form.length) return 'cannot be cut to a length';
  if (parameters === '') return form.parameters === 'required' ? 'needs parameters' : undefined;
  return form.parameters === 'none' || form.like?.test(parameters) === false
    ? 'has parameters that it cannot have'
    : undefined;
}
