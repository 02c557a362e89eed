import { type SidecarSettings } from '@kedge/netfilter';
import type { RedirectionFlags } from './flags.ts';
import { dnsServers, type HostFacts, podAddress, userId } from './host.ts';

export interface RedirectionSettings {
  readonly settings: SidecarSettings;
  /** The pod's own address; undefined if it has none (yet). */
  readonly podAddress: string | undefined;
}

/** The settings that flags, the environment and the place come to. To clean up, the place needn't be known. */
export function redirectionSettings(
  flags: RedirectionFlags,
  environment: Readonly<Record<string, string | undefined>>,
  host: HostFacts,
): RedirectionSettings {
  const pod = podAddress(host, flags.dualStack);
  if (pod === undefined && !flags.cleanupOnly)
    throw new Error('no valid local IP address found: no interface but loopback has an address');
  const needsServers = flags.redirectDns && !flags.captureAllDns && !flags.cleanupOnly;
  if (needsServers && host.resolvConf === undefined) {
    throw new Error('failed to load /etc/resolv.conf: which DNS servers to redirect is not known');
  }
  const servers = needsServers ? dnsServers(host) : { ipv4: [], ipv6: [] };
  const proxyUid = flags.proxyUid || (userId(host, environment.ENVOY_USER ?? 'istio-proxy') ?? '1337');
  return {
    podAddress: pod?.address,
    settings: {
      ...flags,
      proxyUid,
      proxyGid: flags.proxyGid || proxyUid,
      enableIpv6: pod?.hasIpv6 ?? false,
      dnsServersV4: servers.ipv4,
      dnsServersV6: servers.ipv6,
      // These have no flags.
      ownerGroupsInclude: environment.ISTIO_OUTBOUND_OWNER_GROUPS ?? '*',
      ownerGroupsExclude: environment.ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE ?? '',
      hostIpv4LoopbackCidr: environment.ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR ?? '127.0.0.1/32',
    },
  };
}
