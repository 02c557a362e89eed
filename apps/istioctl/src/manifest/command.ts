import { NotBuiltError } from '@kedge/cli';
import { type Command, Option } from 'commander';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Io, reasonOf } from '../io.ts';
import type { ManifestFlags } from './generate.ts';

/** Adds `manifest generate` and `manifest translate`. */
export function addManifest(program: Command, io: Io): void {
  const manifest = program.command('manifest').description('make the objects of an installation');
  addInputFlags(manifest.command('generate').description('print the objects that an installation consists of'))
    .option('--force', 'go on in spite of errors in what is to be installed')
    .option('-o, --output <file>', 'where to write the objects; standard output if not given')
    .option('--cluster-specific', 'look at the cluster for settings that it needs')
    .addOption(new Option('--charts <folder>', 'deprecated, use --manifests instead').hideHelp())
    .addOption(new Option('--filter <names>', 'has no effect').hideHelp())
    .action(async (flags: ManifestFlags & OutputFlags) => {
      if (flags.clusterSpecific) throw new NotBuiltError("'--cluster-specific' is not built yet in this version");
      const [{ generate }, { printManifests, sortManifests }] = await load();
      const { parts } = generate(flags, io);
      const text = printManifests(sortManifests(parts.flatMap(({ manifests }) => manifests)));
      if (flags.output === undefined) io.write(text);
      else writeTo(io, flags.output, text);
    });
  addInputFlags(manifest.command('translate').description('write what Helm needs to take over an installation'))
    .option('-o, --output <folder>', 'an existing folder to write to; a new temporary one if not given')
    .action(async (flags: ManifestFlags & OutputFlags) => {
      const [{ generate }, { translateToHelm }] = await load();
      const { parts, folder } = generate(flags, io);
      const output = flags.output ?? mkdtempSync(join(tmpdir(), 'istioctl-migrate-'));
      for (const { name, text, isExecutable } of translateToHelm(parts, folder))
        writeTo(io, join(output, name), text, isExecutable === true ? 0o755 : 0o644);
      io.write(`Output written to ${output}! See the README.md for next steps\n`);
    });
}

const load = () => Promise.all([import('./generate.ts'), import('@kedge/install')]);

interface OutputFlags {
  readonly output?: string;
  readonly clusterSpecific?: boolean;
}

const each = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];
const eachOf = (value: string, previous: readonly string[]): readonly string[] => [...previous, ...value.split(',')];

const addInputFlags = (command: Command): Command =>
  command
    .allowExcessArguments()
    .hook('preAction', ({ args }) => {
      const got = args.map((argument) => JSON.stringify(argument)).join(', ');
      if (got !== '') throw new Error(`${command.name()} accepts no positional arguments, got []string{${got}}`);
    })
    .addOption(
      new Option(
        '-f, --filename <file>',
        'an IstioOperator file; later ones are laid over earlier ones, - is standard input',
      )
        .default([], 'none')
        .argParser(eachOf),
    )
    .addOption(
      new Option('-s, --set <path=value>', 'a setting of the IstioOperator, e.g. values.global.hub=example.org/mesh')
        .default([], 'none')
        .argParser(each),
    )
    .option('-d, --manifests <folder>', 'a folder with charts and profiles in place of those of the binary')
    .option('-r, --revision <revision>', 'revision of the control plane')
    .addOption(new Option('--dry-run', 'has no effect: nothing is changed in a cluster').hideHelp());

function writeTo(io: Io, file: string, text: string, mode = 0o644): void {
  try {
    writeFileSync(resolve(io.directory, file), text, { mode });
  } catch (error) {
    throw new Error(`write manifest to ${JSON.stringify(file)}: open ${file}: ${reasonOf(error)}`, { cause: error });
  }
}
