import { isIPv6 } from 'node:net';
import { podRedirection } from '@kedge/cni';
import { parseSidecarSettings, type Run, type SidecarOptions } from '@kedge/netfilter';
import type { Logger } from '@kedge/observability';
import { isRedirected, redirect, type RedirectOptions } from '@kedge/redirection';
import { environmentOf, proxyOf } from './exclusion.ts';
import type { Pod } from './kubernetes/pod.ts';

/** What a pod says about its redirection can't be followed. */
export class InvalidPodError extends Error {
  override readonly name = 'InvalidPodError';
}

export interface RedirectPodOptions {
  readonly networkNamespace: string;
  /** The pod's addresses, the main one first. */
  readonly addresses: readonly string[];
  readonly nativeNftables: boolean;
  readonly forceIptablesBinary?: string;
  /** Runs programs in the network namespace. */
  readonly run: Run;
  readonly log: Logger;
}

/** Brings the rules of a pod into effect. Doing so again changes nothing. */
export async function redirectPod(pod: Pod, options: RedirectPodOptions): Promise<void> {
  await redirect(settingsOf(options), sidecarOptionsOf(pod, options), options.run, options.log);
}

/** Whether the rules of a pod are in effect. */
export async function isPodRedirected(pod: Pod, options: RedirectPodOptions): Promise<boolean> {
  return isRedirected(settingsOf(options), sidecarOptionsOf(pod, options), options.run, options.log);
}

function settingsOf(options: RedirectPodOptions): RedirectOptions {
  const { networkNamespace, nativeNftables, forceIptablesBinary = '' } = options;
  return {
    nativeNftables,
    forceIptablesBinary,
    networkNamespace,
    cniMode: true,
    reconcile: true,
    forceApply: false,
    cleanupOnly: false,
  };
}

function sidecarOptionsOf(pod: Pod, { addresses, log }: RedirectPodOptions): SidecarOptions {
  const proxy = proxyOf(pod);
  const redirection = podRedirection({
    annotations: pod.metadata.annotations ?? {},
    proxyEnv: proxy ? environmentOf(proxy) : {},
    proxyUid: proxy?.securityContext?.runAsUser,
    proxyGid: proxy?.securityContext?.runAsGroup,
  });
  if (!redirection.ok) throw new InvalidPodError(redirection.problem);
  const { settings, dualStack } = redirection;
  const parsed = parseSidecarSettings({ ...settings, enableIpv6: needsIpv6(addresses, dualStack) });
  if (!parsed.ok) throw new InvalidPodError(parsed.problems.join('; '));
  for (const warning of [...redirection.warnings, ...parsed.warnings]) log.warn(warning);
  return parsed.options;
}

/** With one stack, the main address decides; with two, any does. */
function needsIpv6(addresses: readonly string[], dualStack: boolean): boolean {
  return (dualStack ? addresses : addresses.slice(0, 1)).some((address) => isIPv6(address));
}
