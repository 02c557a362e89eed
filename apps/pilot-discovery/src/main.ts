import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { addDiscoveryCommand } from './commands/discovery.ts';
import { addRenderCommand } from './commands/render.ts';
import { addRequestCommand } from './commands/request.ts';

const program = createProgram({ name: 'pilot-discovery', description: 'The control plane of the mesh.' });
addDiscoveryCommand(program, process.env);
addRenderCommand(program);
addRequestCommand(program);
addNotBuilt(program, ['completion']);
process.exitCode = await runProgram(program, process.argv.slice(2));
