import { describe, expect, test } from '@jest/globals';
import { podRedirection, type PodFacts } from './pod-redirection.ts';

const pod = (given: Partial<PodFacts> = {}) => podRedirection({ annotations: {}, proxyEnv: {}, ...given });
const traffic = (name: string) => `traffic.sidecar.istio.io/${name}`;

test('without annotations everything is redirected but the ports of the proxy', () => {
  expect(pod()).toMatchObject({
    ok: true,
    dualStack: false,
    settings: {
      proxyUid: '1337',
      proxyGid: '1337',
      inboundInterceptionMode: 'REDIRECT',
      inboundPortsInclude: '*',
      inboundPortsExclude: '15020,15021,15090',
      outboundPortsExclude: '15020',
      outboundRangesInclude: '*',
      redirectDns: false,
    },
  });
});

test.each<[string, Partial<PodFacts>, Readonly<Record<string, unknown>>]>([
  [
    'ports are listed once',
    { annotations: { [traffic('excludeInboundPorts')]: '80, 15090' } },
    { inboundPortsExclude: '80,15090,15020,15021' },
  ],
  ['the user of the proxy', { proxyUid: 1000, proxyGid: 0 }, { proxyUid: '1000', proxyGid: '1337' }],
  ['DNS', { proxyEnv: { ISTIO_META_DNS_CAPTURE: 'true' } }, { redirectDns: true, captureAllDns: true }],
  ['invalid packets', { proxyEnv: { INVALID_DROP: '1' } }, { dropInvalid: true }],
  [
    'the older name of an annotation',
    { annotations: { [traffic('kubevirtInterfaces')]: 'k0' } },
    { rerouteVirtualInterfaces: 'k0' },
  ],
  [
    'the newer name wins',
    { annotations: { [traffic('kubevirtInterfaces')]: 'k0', 'istio.io/reroute-virtual-interfaces': 'v0' } },
    { rerouteVirtualInterfaces: 'v0' },
  ],
])('%s', (_, facts, settings) => {
  expect(pod(facts)).toMatchObject({ ok: true, settings });
});

describe('annotations that are refused', () => {
  test.each([
    ['sidecar.istio.io/interceptionMode', 'NONE', '"NONE" is neither REDIRECT nor TPROXY'],
    [traffic('includeInboundPorts'), '80,http', '"http" is not a port'],
    [traffic('excludeOutboundPorts'), '65536', '"65536" is not a port'],
    [traffic('includeOutboundIPRanges'), '10.0.0.1', '"10.0.0.1" is not an address range'],
    [traffic('excludeInterfaces'), 'eth0$(id)', '"eth0$(id)" is not the name of an interface'],
  ])('%s: %s', (name, value, problem) => {
    expect(pod({ annotations: { [name]: value } })).toEqual({ ok: false, problem: `annotation ${name}: ${problem}` });
  });
});

test('a flag that is no flag is a warning', () => {
  expect(pod({ proxyEnv: { INVALID_DROP: 'yes' } })).toMatchObject({
    settings: { dropInvalid: false },
    warnings: ['INVALID_DROP="yes" is neither true nor false'],
  });
});
