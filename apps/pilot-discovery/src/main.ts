import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { addDiscoveryCommand } from './commands/discovery.ts';
import { addRenderCommand } from './commands/render.ts';

const program = createProgram({ name: 'pilot-discovery', description: 'The control plane of the mesh.' });
addDiscoveryCommand(program, process.env);
addRenderCommand(program);
addNotBuilt(program, ['completion', 'request']);
process.exitCode = await runProgram(program, process.argv.slice(2));
