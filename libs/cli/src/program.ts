import { type BuildInfo, buildInfo, versionFields, versionLine } from '@kedge/observability';
import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import { parseBoolean } from './boolean-flags.ts';

export interface ProgramOptions {
  readonly name: string;
  readonly description: string;
  /** What comes before the version where `version` prints a text, which then is the version alone unless everything is wanted. */
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
    .addOption(
      new Option('-s, --short [wanted]', 'the version alone')
        .preset('true')
        .default(options.versionPrefix !== undefined)
        .argParser(parseBoolean),
    )
    .addOption(new Option('-o, --output <format>', 'a document instead of a text: yaml or json').argParser(parseFormat))
    .action((flags: VersionFlags) => {
      program.configureOutput().writeOut?.(`${versionText(options, info, flags)}\n`);
    });
  return program;
}

function parseFormat(format: string): 'yaml' | 'json' {
  if (format === 'yaml' || format === 'json') return format;
  throw new Error("--output must be 'yaml' or 'json'");
}

interface VersionFlags {
  readonly short: boolean;
  readonly output?: 'yaml' | 'json';
}

function versionText({ versionPrefix = '' }: ProgramOptions, info: BuildInfo, flags: VersionFlags): string {
  const document = { clientVersion: versionFields(info) };
  if (flags.output === 'json') return JSON.stringify(document, undefined, 2);
  if (flags.output === 'yaml') return stringify(document).trimEnd();
  return `${versionPrefix}${flags.short ? info.version : versionLine(info)}`;
}
