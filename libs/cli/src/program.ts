import { type BuildInfo, buildInfo, versionFields, versionLine } from '@kedge/observability';
import { Command, Option } from 'commander';
import { stringify } from 'yaml';

export interface ProgramOptions {
  readonly name: string;
  readonly description: string;
  /** What comes before the version where `version` prints a text; without it, one line of everything is printed. */
  readonly versionPrefix?: string;
  readonly info?: BuildInfo;
}

/** A program with what every binary has: `--help`, `--version` and the `version` command. */
export function createProgram(options: ProgramOptions): Command {
  const { name, description, info = buildInfo } = options;
  const program = new Command(name)
    .description(description)
    .version(`${name} version ${info.version}-${info.revision}-${info.status}`, '--version', 'version of the binary')
    .helpCommand('help [command]', 'help about any command')
    .exitOverride()
    // The one place that reports errors is `runProgram`.
    .configureOutput({ outputError: () => undefined });
  program
    .command('version')
    .description('print the version that this binary was built from')
    .option('-s, --short', 'the version alone')
    .addOption(new Option('-o, --output <format>', 'a document instead of a text').choices(['yaml', 'json']))
    .action((flags: VersionFlags) => {
      program.configureOutput().writeOut?.(`${versionText(options, info, flags)}\n`);
    });
  return program;
}

interface VersionFlags {
  readonly short?: boolean;
  readonly output?: 'yaml' | 'json';
}

function versionText({ versionPrefix }: ProgramOptions, info: BuildInfo, flags: VersionFlags): string {
  const document = { clientVersion: versionFields(info) };
  if (flags.output === 'json') return JSON.stringify(document, undefined, 2);
  if (flags.output === 'yaml') return stringify(document).trimEnd();
  if (versionPrefix !== undefined) return `${versionPrefix}${info.version}`;
  return flags.short ? info.version : versionLine(info);
}
