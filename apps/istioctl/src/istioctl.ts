import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { type Command } from 'commander';
import { commands } from './commands.ts';
import { addGlobalFlags } from './global-flags.ts';
import { type Io } from './io.ts';
import { addKubeInject } from './kube-inject/command.ts';
import { addManifest } from './manifest/command.ts';

/** Runs istioctl with arguments; gives the exit code. */
export const runIstioctl = (args: readonly string[], io: Io): Promise<number> =>
  runProgram(createIstioctl(io), args, io.writeError);

function createIstioctl(io: Io): Command {
  const program = createProgram({
    name: 'istioctl',
    description: 'Inspects, configures and debugs the mesh.',
    versionPrefix: 'client version: ',
  });
  program.configureOutput({ writeOut: io.write, writeErr: io.writeError, outputError: () => undefined });
  addGlobalFlags(program);
  addKubeInject(program, io);
  addManifest(program, io);
  addNotBuilt(program, commands);
  return program;
}
