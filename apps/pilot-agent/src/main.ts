import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { addProxyCommand } from './commands/proxy.ts';
import { addRequestCommand } from './commands/request.ts';
import { addWaitCommand } from './commands/wait.ts';

const program = createProgram({
  name: 'pilot-agent',
  description: 'Runs beside every Envoy: writes its bootstrap, starts and monitors it.',
});
addProxyCommand(program, process.env);
addRequestCommand(program);
addWaitCommand(program);
addNotBuilt(program, ['completion', 'istio-iptables', 'istio-clean-iptables']);
// Whatever the error, Istio's agent exits with -1.
process.exitCode = (await runProgram(program, process.argv.slice(2))) === 0 ? 0 : 255;
