import fc from 'fast-check';
import type { AmbientOptions, PodOverrides } from '../ambient/options.ts';
import { defaultHostProbeAddress } from '../ambient/options.ts';
import type { SidecarOptions } from '../sidecar/options.ts';
import { defaultSidecarSettings, parseSidecarSettings, type SidecarSettings } from '../sidecar/settings.ts';

const list = (...values: readonly string[]) => fc.subarray([...values]).map((some) => some.join(','));
const orAll = (values: fc.Arbitrary<string>) => fc.oneof(fc.constant('*'), values);

/** Settings from few values, so that they meet. */
const anySettings: fc.Arbitrary<SidecarSettings> = fc
  .record({
    proxyUid: list('1337', '1338'),
    proxyGid: list('1337', '7'),
    inboundInterceptionMode: fc.constantFrom('', 'REDIRECT', 'TPROXY'),
    inboundPortsInclude: orAll(list('80', '8080', '9000:9010')),
    inboundPortsExclude: list('80', '15090'),
    outboundPortsInclude: list('443', '3306'),
    outboundPortsExclude: list('25', '443'),
    outboundRangesInclude: orAll(list('10.0.0.0/8', '127.1.2.3/32', '2001:db8::/32')),
    outboundRangesExclude: list('10.1.0.0/16', 'fd00::/8'),
    ownerGroupsInclude: orAll(list('java', '202')),
    ownerGroupsExclude: list('ftp', '888'),
    excludeInterfaces: list('eth1', 'net0'),
    rerouteVirtualInterfaces: list('virt0', 'virt1'),
    hostIpv4LoopbackCidr: fc.constantFrom('127.0.0.1/32', '127.0.0.0/8'),
    dropInvalid: fc.boolean(),
    redirectDns: fc.boolean(),
    captureAllDns: fc.boolean(),
    enableIpv6: fc.boolean(),
    dnsServersV4: fc.subarray(['127.0.0.53', '10.0.0.10']),
    dnsServersV6: fc.subarray(['fd00::10']),
  })
  .map((some) => ({ ...defaultSidecarSettings, ...some }));

export const anyOptions: fc.Arbitrary<SidecarOptions> = anySettings.map((settings) => {
  const result = parseSidecarSettings(settings);
  if (!result.ok) throw new Error(result.problems.join('; '));
  return result.options;
});

export const anyAmbientOptions: fc.Arbitrary<AmbientOptions> = fc.record({
  enableIpv6: fc.boolean(),
  redirectDns: fc.boolean(),
  hostProbeAddress: fc.constant(defaultHostProbeAddress),
});

export const anyPodOverrides: fc.Arbitrary<PodOverrides> = fc.record(
  { ingressMode: fc.boolean(), virtualInterfaces: fc.subarray(['virt0', 'virt1']), dnsCapture: fc.boolean() },
  { requiredKeys: ['ingressMode', 'virtualInterfaces'] },
);
