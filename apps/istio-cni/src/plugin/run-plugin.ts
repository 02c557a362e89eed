import type { Logger } from '@kedge/observability';
import { add, check } from './add.ts';
import { type Call, type CommandName, readCall } from './call.ts';
import { CniError, errorDocument } from './cni-error.ts';
import { newestVersion, type PluginConfig, readConfig, supportedVersions, versionOf } from './config.ts';
import type { PluginEdge } from './edge.ts';
import type { PluginLog } from './plugin-log.ts';
import { podReference } from './pod-of-call.ts';
import { resultOf } from './result.ts';

/** What the runtime gets. */
export interface Outcome {
  readonly stdout: string;
  readonly code: 0 | 1;
  /** Where the log goes; undefined if that can't be known. */
  readonly runDir?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Document = Readonly<Record<string, unknown>>;

/** The runtime gives up later than this. */
const timeoutMs = 60_000;

type Command = (call: Call, config: PluginConfig, edge: PluginEdge, log: Logger) => Promise<Document | undefined>;

/** Nothing is kept outside the pod's network namespace, and what is in there goes with it. */
const nothing: Command = () => Promise.resolve(undefined);

/** The commands that need the configuration. */
const commands: Readonly<Record<Exclude<CommandName, 'VERSION'>, Command>> = {
  ADD: async (call, config, edge, log) => {
    await add(call, config, edge, log);
    return resultOf(config);
  },
  CHECK: async (call, config, edge, log) => {
    await check(call, config, edge, log);
    return undefined;
  },
  DEL: nothing,
  GC: nothing,
  // Without asking for the agent or the API server: a node that isn't ready couldn't start the agent that makes it so.
  STATUS: nothing,
};

/** One call of the plugin. It never throws: every error is a document of the CNI specification. */
export async function runPlugin(
  environment: Environment,
  stdin: string,
  edge: PluginEdge,
  log: PluginLog,
): Promise<Outcome> {
  let config: PluginConfig | undefined;
  try {
    const call = readCall(environment);
    if (call.command === 'VERSION') return { stdout: print(versions(stdin)), code: 0 };
    config = readConfig(stdin);
    log.setLevel(config.logLevel);
    const logger = loggerOf(call, log);
    logger.debug(`called: ${call.command}`);
    const result = await withTimeout(commands[call.command](call, config, edge, logger), call.command);
    return { stdout: result ? print(result) : '', code: 0, runDir: config.agentRunDir };
  } catch (error) {
    const known =
      error instanceof CniError ? error : new CniError('internal', 'the plugin has a fault', stackOf(error));
    log.logger({ command: environment.CNI_COMMAND }).error(`${known.message} ${known.details}`.trim());
    const document = errorDocument(known, config?.cniVersion ?? versionOf(stdin));
    return { stdout: print(document), code: 1, runDir: config?.agentRunDir };
  }
}

function versions(stdin: string): Document {
  return { cniVersion: stdin.trim() === '' ? newestVersion : versionOf(stdin), supportedVersions };
}

function loggerOf(call: Call, log: PluginLog): Logger {
  const pod = podReference(call);
  return log.logger(pod && { pod: `${pod.namespace}/${pod.name}` });
}

async function withTimeout<T>(work: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new CniError('tryAgainLater', `${what} was not done within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function print(document: Document): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
