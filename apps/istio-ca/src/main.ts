import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';

const program = createProgram({ name: 'istio-ca', description: 'The certificate authority of the mesh, alone.' });
addNotBuilt(program, ['completion', 'server']);
process.exitCode = await runProgram(program, process.argv.slice(2));
