import { addNotBuilt, createProgram, NotBuiltError, parseBoolean, runProgram } from '@kedge/cli';
import { type Command, Option } from 'commander';
import { commands } from './commands.ts';
import { addGlobalFlags } from './global-flags.ts';
import type { Io } from './io.ts';
import { addKubeInject } from './kube-inject/command.ts';
import { addManifest } from './manifest/command.ts';
import { addValidate } from './validate/command.ts';

/** What scripts tell a wrong command line by. */
const USAGE_ERROR = 64;

/** Runs istioctl with arguments; gives the exit code. */
export const runIstioctl = (args: readonly string[], io: Io): Promise<number> =>
  runProgram(createIstioctl(io), args, io.writeError, USAGE_ERROR);

function createIstioctl(io: Io): Command {
  const program = createProgram({
    name: 'istioctl',
    description: 'Inspects, configures and debugs the mesh.',
    versionPrefix: 'client version: ',
  });
  program.configureOutput({ writeOut: io.write, writeErr: io.writeError, outputError: () => undefined });
  addGlobalFlags(program);
  addVersionFlags(program);
  addKubeInject(program, io);
  addManifest(program, io);
  addValidate(program, io);
  addNotBuilt(program, commands);
  return program;
}

/** Versions of the control plane and of proxies are those of a cluster. */
function addVersionFlags(program: Command): void {
  const remote = new Option(
    '--remote [wanted]',
    'ask the cluster for the versions of the control plane and the proxies',
  )
    .preset('true')
    .default(false)
    .argParser(parseRemote);
  program.commands
    .find((command) => command.name() === 'version')
    ?.option('-r, --revision <revision>', 'revision of the control plane')
    .addOption(remote);
}

function parseRemote(value: string): boolean {
  if (!parseBoolean(value)) return false;
  throw new NotBuiltError("'istioctl version --remote' is not built yet in this version");
}
