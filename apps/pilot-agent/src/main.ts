import { addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { addRedirectionCommands } from './commands/istio-iptables.ts';
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
addRedirectionCommands(program, process.env);
addNotBuilt(program, ['completion']);
const args = process.argv.slice(2);
const code = await runProgram(program, args);
// Whatever the error, Istio's agent exits with -1, but for redirection, whose codes tell failures apart.
process.exitCode = code === 0 || /^istio-(clean-)?iptables$/.test(args[0] ?? '') ? code : 255;
