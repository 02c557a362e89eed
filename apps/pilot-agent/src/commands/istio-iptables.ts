import { appendFile, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { addLogFlags } from '@kedge/cli';
import { parseSidecarSettings, type SidecarOptions } from '@kedge/netfilter';
import { createLogging, type LogFlagValues, type Logger, parseLogFlags } from '@kedge/observability';
import { commandRunner, dryRun, forcedVariant, redirect } from '@kedge/redirection';
import { type Command, CommanderError } from 'commander';
import { addRedirectionFlags, readRedirectionFlags, type RedirectionFlags } from '../redirection/flags.ts';
import type { HostFacts } from '../redirection/host.ts';
import { redirectionSettings } from '../redirection/settings.ts';
import { validateRedirection } from '../redirection/validation.ts';

type Environment = Readonly<Record<string, string | undefined>>;
/** What the commands touch besides programs; for tests. */
export interface RedirectionEdge {
  readonly host: () => Promise<HostFacts>;
  /** Takes what a dry run prints. */
  readonly write: (text: string) => void;
}

const realEdge: RedirectionEdge = { host: hostFacts, write: (text) => process.stdout.write(text) };

type Given = Readonly<Record<string, unknown>> & LogFlagValues;

/** What init containers' callers, and the repair of pods, know a failed validation by. */
const validationFailed = 126;

/** The commands that redirect a pod's traffic to its proxy, and take that back. */
export function addRedirectionCommands(
  program: Command,
  environment: Environment,
  edge: RedirectionEdge = realEdge,
): void {
  const apply = program
    .command('istio-iptables')
    .description("redirect a pod's traffic to the proxy, by rules of iptables or nft");
  addLogFlags(addRedirectionFlags(apply)).action((given: Given) => run(given, environment, edge));
  const clean = program.command('istio-clean-iptables').description('remove the rules that istio-iptables made');
  addLogFlags(addRedirectionFlags(clean)).action((given: Given) => {
    return run({ ...given, cleanupOnly: true, skipRuleApply: false, runValidation: false }, environment, edge);
  });
}

async function run(given: Given, environment: Environment, { host, write }: RedirectionEdge): Promise<void> {
  using logging = createLogging(parseLogFlags(given));
  const log = logging.scope('default');
  const { flags, warnings } = readRedirectionFlags(given, environment);
  for (const warning of warnings) log.warn(warning);
  forcedVariant(flags);
  const { settings, podAddress } = redirectionSettings(flags, environment, await host());
  const result = parseSidecarSettings(settings);
  if (!result.ok) throw new Error(result.problems.join('; '));
  for (const warning of result.warnings) log.warn(warning);
  if (!flags.skipRuleApply) await applyRules(flags, result.options, environment, log, write);
  if (flags.runValidation) await validate(flags, result.options, podAddress ?? '127.0.0.1', log);
}

async function applyRules(
  flags: RedirectionFlags,
  options: SidecarOptions,
  environment: Environment,
  log: Logger,
  write: (text: string) => void,
): Promise<void> {
  if (!flags.dryRun) return redirect(flags, options, commandRunner(flags.networkNamespace), log);
  const text = `${(await dryRun(flags, options)).join('\n')}\n`;
  write(text);
  const file = environment.DRY_RUN_FILE_PATH;
  if (file) await appendFile(file, text);
}

async function validate(
  flags: RedirectionFlags,
  { inboundCapturePort, proxyPort }: SidecarOptions,
  podAddress: string,
  log: Logger,
): Promise<void> {
  const problem = await validateRedirection({
    podAddress,
    ports: [...new Set([Number(proxyPort), Number(inboundCapturePort)])],
    probePort: flags.probePort,
    timeoutMs: flags.probeTimeoutMs,
  });
  if (problem === undefined) {
    log.info('validation passed: traffic is redirected');
    return;
  }
  throw new CommanderError(
    validationFailed,
    'redirection.validation',
    `the pod's traffic is not redirected to the proxy (${problem}). With the CNI plugin, this happens where a pod is ` +
      'scheduled before the node is ready: delete the pod so that it is scheduled again, or set cni.repair.deletePods=true.',
  );
}

async function hostFacts(): Promise<HostFacts> {
  const read = (file: string) => readFile(file, 'utf8').catch(() => undefined);
  return {
    interfaces: networkInterfaces(),
    users: (await read('/etc/passwd')) ?? '',
    resolvConf: await read('/etc/resolv.conf'),
  };
}
