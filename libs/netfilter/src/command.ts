/** A program to run, and what it reads. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface CommandResult {
  /** The exit code; 127 if there is no such program. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands. It comes from the edge: this library itself touches nothing. */
export type Run = (command: Command) => Promise<CommandResult>;

export const programNotFound = 127;

/** A program that had to succeed and didn't. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(command: Command, { code, stderr }: CommandResult) {
    const call = [command.program, ...command.args].join(' ');
    const reason = code === programNotFound ? 'there is no such program' : stderr.trim() || 'it says nothing';
    super(`"${call}" failed with code ${code}: ${reason}`);
  }
}

export async function mustRun(run: Run, command: Command): Promise<CommandResult> {
  const result = await run(command);
  if (result.code !== 0) throw new CommandError(command, result);
  return result;
}
