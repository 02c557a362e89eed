import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { addServerCommand } from './commands/server.ts';

const program = createProgram({ name: 'istio-ca', description: 'The certificate authority of the mesh, alone.' });
addServerCommand(program, process.env);
addNotBuilt(program, ['completion']);
process.exitCode = await runProgram(program, process.argv.slice(2));
