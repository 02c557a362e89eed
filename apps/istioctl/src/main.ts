import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { commands } from './commands.ts';

const program = createProgram({
  name: 'istioctl',
  description: 'Inspects, configures and debugs the mesh.',
  versionPrefix: 'client version: ',
});
addNotBuilt(program, commands);
process.exitCode = await runProgram(program, process.argv.slice(2));
