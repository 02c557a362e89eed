import { addLogFlags, addNotBuilt, createProgram, runProgram } from '@kedge/cli';
import { createLogging, flagsWithoutEffect, parseLogFlags } from '@kedge/observability';
import { runAgent } from './agent/run-agent.ts';
import { addSettings, readSettings } from './agent/settings.ts';

const program = createProgram({
  name: 'install-cni',
  description:
    'Installs the CNI plugin of the mesh on a node, keeps it installed, and repairs pods that it came too late for.',
});
addSettings(addLogFlags(program))
  .option('--ctrlz_address <string>', 'no effect')
  .option('--ctrlz_port <uint16>', 'no effect')
  .action(async (given: Readonly<Record<string, unknown>>) => {
    const options = parseLogFlags(given);
    using logging = createLogging(options);
    for (const warning of flagsWithoutEffect(given)) logging.scope('default').warn(warning);
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = process.env;
    const ended = new AbortController();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.abort());
    await runAgent(
      {
        settings: readSettings(given, process.env),
        apiServer: { host, port, protocol: process.env.KUBERNETES_SERVICE_PROTOCOL ?? '' },
        pluginLogLevel: options.outputLevels.get('cni-plugin') ?? options.outputLevels.get('default') ?? 'info',
        logging,
      },
      ended.signal,
    );
  });
addNotBuilt(program, ['completion']);
process.exitCode = await runProgram(program, process.argv.slice(2));
