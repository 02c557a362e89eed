import type { Logger } from '@kedge/observability';
import { exclusionOf } from '../exclusion.ts';
import { type Pod, podName } from '../kubernetes/pod.ts';
import { InvalidPodError, isPodRedirected, redirectPod, type RedirectPodOptions } from '../redirect-pod.ts';
import type { Call } from './call.ts';
import { CniError } from './cni-error.ts';
import type { PluginConfig } from './config.ts';
import type { PluginEdge } from './edge.ts';
import { isAgentPod, podReference, readPodOfCall } from './pod-of-call.ts';
import { addressesOf } from './result.ts';

/** ADD: redirects the pod's traffic if the pod has a sidecar. @throws CniError */
export async function add(call: Call, config: PluginConfig, edge: PluginEdge, log: Logger): Promise<void> {
  const pod = await podToRedirect(call, config, edge, log);
  if (pod !== undefined) await inNetworkOf(pod, redirectPod, call, config, edge, log);
}

/** CHECK: a pod that ADD redirects has the rules. @throws CniError */
export async function check(call: Call, config: PluginConfig, edge: PluginEdge, log: Logger): Promise<void> {
  const pod = await podToRedirect(call, config, edge, log);
  if (pod === undefined || (await inNetworkOf(pod, isPodRedirected, call, config, edge, log))) return;
  throw new CniError('notRedirected', `the traffic of ${podName(pod)} is not redirected to its proxy`);
}

async function inNetworkOf<T>(
  pod: Pod,
  act: (pod: Pod, options: RedirectPodOptions) => Promise<T>,
  { netns }: Call,
  config: PluginConfig,
  edge: PluginEdge,
  log: Logger,
): Promise<T> {
  if (!(await edge.exists(netns))) throw new CniError('unknownContainer', `there is no network namespace ${netns}`);
  const run = edge.runIn(netns);
  try {
    return await act(pod, {
      networkNamespace: netns,
      addresses: await podAddresses(config, run),
      nativeNftables: config.nativeNftables,
      run,
      log,
    });
  } catch (error) {
    const { message } = error as Error;
    const name = podName(pod);
    if (error instanceof InvalidPodError)
      throw new CniError('invalidPod', `the traffic of ${name} can't be redirected: ${message}`);
    throw new CniError('redirectionFailed', `redirecting the traffic of ${name} failed: ${message}`);
  }
}

/** The pod; undefined if it is none whose traffic is redirected. */
async function podToRedirect(
  call: Call,
  config: PluginConfig,
  edge: PluginEdge,
  log: Logger,
): Promise<Pod | undefined> {
  const reference = podReference(call);
  const skip = (reason: string): undefined => void log.info(`not redirected: ${reason}`);
  if (reference === undefined) return skip('it is no pod of Kubernetes');
  if (isAgentPod(reference, config)) return skip("it is the agent's own pod");
  if (config.excludeNamespaces.includes(reference.namespace)) return skip('its namespace is excluded');
  if (config.ambientEnabled)
    throw new CniError('invalidConfig', 'ambient mode ("ambient_enabled") is not built yet in this version');
  const pod = await readPodOfCall(reference, config, edge, log);
  const exclusion = exclusionOf(pod);
  return exclusion === undefined ? pod : skip(exclusion);
}

/** As the plugins before tell, or else the namespace itself. */
async function podAddresses(config: PluginConfig, run: ReturnType<PluginEdge['runIn']>): Promise<readonly string[]> {
  const told = addressesOf(config);
  if (told.length > 0) return told;
  const { stdout } = await run({ program: 'ip', args: ['-o', 'address', 'show', 'scope', 'global'] });
  const found = [...stdout.matchAll(/ inet6? ([^/ ]+)/g)].map(([, address]) => address!);
  if (found.length === 0) throw new Error('the pod has no address yet: is the plugin after one that gives it one?');
  return found;
}
