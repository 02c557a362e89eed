import { isIPv4 } from 'node:net';
import type { Family } from '../family.ts';
import { parseRange } from './range.ts';
import type { DnsCapture, Range, Selection, SidecarOptions } from './options.ts';

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

/** iptables takes about 128 conditions in a rule, and the included groups are conditions of one rule. */
const maxOwnerGroups = 64;

/** Reads settings. Everything that goes into a rule is checked, for a rule is text that root runs. */
export function parseSidecarSettings(settings: SidecarSettings): SettingsResult {
  const problems: string[] = [];
  const problem = (text: string) => void problems.push(text);
  const each = (what: string, values: readonly string[], pattern: RegExp) => {
    for (const value of values) if (!pattern.test(value)) problem(`${what} "${value}" is not valid`);
    return values;
  };
  const one = (what: string, value: string, pattern: RegExp) => each(what, [value], pattern)[0]!;
  const ports = (what: string, list: string) => {
    const values = each(what, split(list), /^\d{1,5}(:\d{1,5})?$/);
    if (values.some((value) => value.split(':').some((port) => Number(port) > 65535))) {
      problem(`${what} "${list}" goes beyond 65535`);
    }
    return values;
  };
  const port = (what: string, value: string) => one(what, ports(what, value)[0] ?? value, /^\d+$/);
  const ids = (what: string, list: string) => each(what, split(list), /^[\w.-]+\$?$/);
  const interfaces = (what: string, list: string) => each(what, split(list), /^[\w.:@-]{1,15}\+?$/);
  const ranges = (what: string, list: string) =>
    split(list).flatMap((text): readonly Range[] => {
      const range = parseRange(text);
      if (range === undefined) problem(`${what} "${text}" is not an address range such as 10.0.0.0/8`);
      return range === undefined ? [] : [range];
    });
  const number = /^(\d+|0x[\da-f]+)$/i;

  if (settings.outboundRangesExclude === '*') problem('all outbound IP ranges cannot be excluded ("*")');
  const groups = selection(settings.ownerGroupsInclude, (list) => ids('owner group', list));
  if (groups !== '*' && groups.length > maxOwnerGroups) {
    problem(
      'number of owner groups whose outgoing traffic should be redirected to Envoy cannot exceed ' +
        `${maxOwnerGroups}, got ${groups.length}: [${groups.join(' ')}]`,
    );
  }
  const loopbackProblem = problemOfLoopback(settings.hostIpv4LoopbackCidr);
  if (loopbackProblem !== undefined) problem(loopbackProblem);
  const dns = dnsCapture(settings);
  for (const server of dns.kind === 'servers' ? [...dns.ipv4, ...dns.ipv6] : []) {
    if (parseRange(`${server}/${isIPv4(server) ? 32 : 128}`) === undefined)
      problem(`DNS server "${server}" is no address`);
  }
  const families: readonly Family[] = settings.enableIpv6 ? ['ipv4', 'ipv6'] : ['ipv4'];

  const options: SidecarOptions = {
    families,
    proxyPort: port('proxy port', settings.proxyPort),
    inboundCapturePort: port('inbound capture port', settings.inboundCapturePort),
    inboundTunnelPort: port('inbound tunnel port', settings.inboundTunnelPort),
    proxyUids: ids('proxy UID', settings.proxyUid),
    proxyGids: ids('proxy GID', settings.proxyGid),
    interception: settings.inboundInterceptionMode === 'TPROXY' ? 'TPROXY' : 'REDIRECT',
    tproxyMark: one('TPROXY mark', settings.inboundTproxyMark, number),
    tproxyRouteTable: one('TPROXY route table', settings.inboundTproxyRouteTable, number),
    inboundPorts: selection(settings.inboundPortsInclude, (list) => ports('inbound port', list)),
    inboundPortsExcluded: ports('excluded inbound port', settings.inboundPortsExclude),
    outboundPorts: ports('outbound port', settings.outboundPortsInclude),
    outboundPortsExcluded: ports('excluded outbound port', settings.outboundPortsExclude),
    outboundRanges:
      settings.outboundRangesInclude === '*' ? '*' : ranges('outbound IP range', settings.outboundRangesInclude),
    outboundRangesExcluded:
      settings.outboundRangesExclude === '*'
        ? []
        : ranges('excluded outbound IP range', settings.outboundRangesExclude),
    ownerGroups: groups,
    ownerGroupsExcluded: ids('excluded owner group', settings.ownerGroupsExclude),
    excludedInterfaces: interfaces('excluded interface', settings.excludeInterfaces),
    virtualInterfaces: interfaces('virtual interface', settings.rerouteVirtualInterfaces),
    loopbackRange: settings.hostIpv4LoopbackCidr,
    dropInvalid: settings.dropInvalid,
    dns,
  };
  if (problems.length > 0) return { ok: false, problems };
  const noServers = settings.redirectDns && dns.kind === 'none';
  return {
    ok: true,
    options,
    warnings: noServers
      ? ['DNS is to be captured, but not all of it, and no DNS server is known: it is not captured']
      : [],
  };
}

/** The parts of a list, without empty ones. */
function split(list: string): readonly string[] {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function selection(list: string, read: (list: string) => readonly string[]): Selection {
  return list === '*' ? '*' : read(list);
}

function dnsCapture(settings: SidecarSettings): DnsCapture {
  if (!settings.redirectDns) return { kind: 'none' };
  if (settings.captureAllDns) return { kind: 'all' };
  const { dnsServersV4: ipv4, dnsServersV6: ipv6 } = settings;
  return ipv4.length + ipv6.length === 0 ? { kind: 'none' } : { kind: 'servers', ipv4, ipv6 };
}

function problemOfLoopback(cidr: string): string | undefined {
  const range = parseRange(cidr);
  if (range === undefined) return `failed to parse CIDR ${cidr}`;
  const [address, bits] = range.cidr.split('/') as [string, string];
  if (range.family !== 'ipv4' || !range.isLoopback) {
    return `expected valid IPv4 loopback address in CIDR ${cidr}; found ${address}`;
  }
  return Number(bits) < 8 ? `expected CIDR ${cidr} to have mask in range [8, 32]; found ${bits}` : undefined;
}
