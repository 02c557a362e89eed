import { type Command, CommanderError } from 'commander';
import { withBooleanFlags } from './boolean-flags.ts';

/** Parses and runs; every error becomes one line on stderr. Gives the exit code, which programs may choose for arguments that make no sense. */
export async function runProgram(
  program: Command,
  args: readonly string[],
  writeError: (text: string) => void = (text) => process.stderr.write(text),
  usageError = 1,
): Promise<number> {
  try {
    await program.parseAsync(withBooleanFlags(program, args), { from: 'user' });
    return 0;
  } catch (error) {
    // A command that only has subcommands shows its help; that is no error.
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) return 0;
    const message = error instanceof Error ? error.message : String(error);
    writeError(`Error: ${message.replace(/^error: /, '')}\n`);
    if (!(error instanceof CommanderError)) return 1;
    // A command may end with a code of its own, by an error with a name of its own.
    return error.code.startsWith('commander.') ? usageError : error.exitCode;
  }
}
