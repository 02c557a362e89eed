import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';

const program = createProgram({
  name: 'istio-cni',
  description: 'The CNI plugin of the mesh, and the node agent that installs it.',
});
addNotBuilt(program, ['completion', 'install', 'plugin']);
process.exitCode = await runProgram(program, process.argv.slice(2));
