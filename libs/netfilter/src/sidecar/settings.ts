import { isIPv4, isIPv6 } from 'node:net';
import { parseRange } from './range.ts';
import type { DnsCapture, Selection, SidecarOptions } from './options.ts';
import { ValueReader } from './value-reader.ts';

/** The options as the command line, the environment and annotations give them: texts, lists separated by commas. */
export interface SidecarSettings {
  readonly proxyPort: string;
  readonly inboundCapturePort: string;
  readonly inboundTunnelPort: string;
  readonly proxyUid: string;
  readonly proxyGid: string;
  readonly inboundInterceptionMode: string;
  readonly inboundTproxyMark: string;
  readonly inboundTproxyRouteTable: string;
  readonly inboundPortsInclude: string;
  readonly inboundPortsExclude: string;
  readonly outboundPortsInclude: string;
  readonly outboundPortsExclude: string;
  readonly outboundRangesInclude: string;
  readonly outboundRangesExclude: string;
  readonly ownerGroupsInclude: string;
  readonly ownerGroupsExclude: string;
  readonly excludeInterfaces: string;
  readonly rerouteVirtualInterfaces: string;
  readonly hostIpv4LoopbackCidr: string;
  readonly dropInvalid: boolean;
  readonly redirectDns: boolean;
  readonly captureAllDns: boolean;
  readonly enableIpv6: boolean;
  readonly dnsServersV4: readonly string[];
  readonly dnsServersV6: readonly string[];
}

/** Istio's defaults. The program's own environment decides on IPv6, and on the DNS servers. */
export const defaultSidecarSettings: SidecarSettings = {
  proxyPort: '15001',
  inboundCapturePort: '15006',
  inboundTunnelPort: '15008',
  proxyUid: '1337',
  proxyGid: '1337',
  inboundInterceptionMode: '',
  inboundTproxyMark: '1337',
  inboundTproxyRouteTable: '133',
  inboundPortsInclude: '',
  inboundPortsExclude: '',
  outboundPortsInclude: '',
  outboundPortsExclude: '',
  outboundRangesInclude: '',
  outboundRangesExclude: '',
  ownerGroupsInclude: '*',
  ownerGroupsExclude: '',
  excludeInterfaces: '',
  rerouteVirtualInterfaces: '',
  hostIpv4LoopbackCidr: '127.0.0.1/32',
  dropInvalid: false,
  redirectDns: false,
  captureAllDns: false,
  enableIpv6: false,
  dnsServersV4: [],
  dnsServersV6: [],
};

/** What is understood of settings. Of bad ones there is no partial result: half a redirection lets traffic by. */
export type SettingsResult =
  | { readonly ok: true; readonly options: SidecarOptions; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

export function parseSidecarSettings(settings: SidecarSettings): SettingsResult {
  const read = new ValueReader();
  const options: SidecarOptions = {
    families: settings.enableIpv6 ? ['ipv4', 'ipv6'] : ['ipv4'],
    proxyPort: read.port('proxy port', settings.proxyPort),
    inboundCapturePort: read.port('inbound capture port', settings.inboundCapturePort),
    inboundTunnelPort: read.port('inbound tunnel port', settings.inboundTunnelPort),
    proxyUids: read.ids('proxy UID', settings.proxyUid),
    proxyGids: read.ids('proxy GID', settings.proxyGid),
    interception: settings.inboundInterceptionMode === 'TPROXY' ? 'TPROXY' : 'REDIRECT',
    tproxyMark: read.number('TPROXY mark', settings.inboundTproxyMark),
    tproxyRouteTable: read.number('TPROXY route table', settings.inboundTproxyRouteTable),
    inboundPorts: allOr(settings.inboundPortsInclude, (list) => read.ports('inbound port', list)),
    inboundPortsExcluded: read.ports('excluded inbound port', settings.inboundPortsExclude),
    outboundPorts: read.ports('outbound port', settings.outboundPortsInclude),
    outboundPortsExcluded: read.ports('excluded outbound port', settings.outboundPortsExclude),
    outboundRanges: allOr(settings.outboundRangesInclude, (list) => read.ranges('outbound IP range', list)),
    outboundRangesExcluded: excludedRanges(settings, read),
    ownerGroups: ownerGroups(settings, read),
    ownerGroupsExcluded: read.ids('excluded owner group', settings.ownerGroupsExclude),
    excludedInterfaces: read.interfaces('excluded interface', settings.excludeInterfaces),
    virtualInterfaces: read.interfaces('virtual interface', settings.rerouteVirtualInterfaces),
    loopbackRange: loopbackRange(settings, read),
    dropInvalid: settings.dropInvalid,
    dns: dnsCapture(settings, read),
  };
  if (read.problems.length > 0) return { ok: false, problems: read.problems };
  const noServers = settings.redirectDns && options.dns.kind === 'none';
  return {
    ok: true,
    options,
    warnings: noServers
      ? ['DNS is to be captured, but not all of it, and no DNS server is known: it is not captured']
      : [],
  };
}

function allOr<T>(list: string, read: (list: string) => T): '*' | T {
  return list === '*' ? '*' : read(list);
}

function excludedRanges(
  { outboundRangesExclude }: SidecarSettings,
  read: ValueReader,
): SidecarOptions['outboundRangesExcluded'] {
  if (outboundRangesExclude !== '*') return read.ranges('excluded outbound IP range', outboundRangesExclude);
  read.problem('all outbound IP ranges cannot be excluded ("*")');
  return [];
}

/** iptables takes about 128 conditions in a rule, and the included groups are conditions of one rule. */
const maxOwnerGroups = 64;

function ownerGroups({ ownerGroupsInclude }: SidecarSettings, read: ValueReader): Selection {
  const groups = allOr(ownerGroupsInclude, (list) => read.ids('owner group', list));
  if (groups !== '*' && groups.length > maxOwnerGroups) {
    read.problem(
      'number of owner groups whose outgoing traffic should be redirected to Envoy cannot exceed ' +
        `${maxOwnerGroups}, got ${groups.length}: [${groups.join(' ')}]`,
    );
  }
  return groups;
}

function loopbackRange({ hostIpv4LoopbackCidr: cidr }: SidecarSettings, read: ValueReader): string {
  const range = parseRange(cidr);
  const [address, bits] = range?.cidr.split('/') ?? [];
  if (range === undefined) read.problem(`failed to parse CIDR ${cidr}`);
  else if (range.family !== 'ipv4' || !range.isLoopback) {
    read.problem(`expected valid IPv4 loopback address in CIDR ${cidr}; found ${address}`);
  } else if (Number(bits) < 8) read.problem(`expected CIDR ${cidr} to have mask in range [8, 32]; found ${bits}`);
  return cidr;
}

function dnsCapture(settings: SidecarSettings, read: ValueReader): DnsCapture {
  if (!settings.redirectDns) return { kind: 'none' };
  if (settings.captureAllDns) return { kind: 'all' };
  const { dnsServersV4: ipv4, dnsServersV6: ipv6 } = settings;
  for (const server of ipv4) if (!isIPv4(server)) read.problem(`DNS server "${server}" is no IPv4 address`);
  for (const server of ipv6) if (!isIPv6(server)) read.problem(`DNS server "${server}" is no IPv6 address`);
  return ipv4.length + ipv6.length === 0 ? { kind: 'none' } : { kind: 'servers', ipv4, ipv6 };
}
