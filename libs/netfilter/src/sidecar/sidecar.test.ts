import { expect, test } from '@jest/globals';
import { restoreLines, restoreText } from '../iptables/text.ts';
import { iptablesRules } from '../iptables/words.ts';
import { nftTransaction } from '../nft/transaction.ts';
import { defaultSidecarSettings, parseSidecarSettings } from './settings.ts';
import { sidecarRuleset } from './sidecar.ts';

/** The texts of an injected sidecar with DNS capture, for a reader to see; equality with Istio's is for the peer data. */
const parsed = parseSidecarSettings({
  ...defaultSidecarSettings,
  inboundPortsInclude: '*',
  inboundPortsExclude: '15090,15021',
  outboundRangesInclude: '*',
  redirectDns: true,
  captureAllDns: true,
});
if (!parsed.ok) throw new Error(parsed.problems.join('; '));
const ruleset = sidecarRuleset(parsed.options);

test('iptables', () => {
  expect(restoreText(restoreLines(iptablesRules(ruleset, 'ipv4')))).toBe(`* nat
-N ISTIO_INBOUND
-N ISTIO_REDIRECT
-N ISTIO_IN_REDIRECT
-N ISTIO_OUTPUT
-N ISTIO_OUTPUT_DNS
-A ISTIO_INBOUND -p tcp --dport 15008 -j RETURN
-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001
-A ISTIO_IN_REDIRECT -p tcp -j REDIRECT --to-ports 15006
-A PREROUTING -p tcp -j ISTIO_INBOUND
-A ISTIO_INBOUND -p tcp --dport 15090 -j RETURN
-A ISTIO_INBOUND -p tcp --dport 15021 -j RETURN
-A ISTIO_INBOUND -p tcp -j ISTIO_IN_REDIRECT
-A OUTPUT -j ISTIO_OUTPUT
-A ISTIO_OUTPUT -o lo -s 127.0.0.6/32 -j RETURN
-A ISTIO_OUTPUT -o lo ! -d 127.0.0.1/32 -p tcp -m multiport ! --dports 53,15008 -m owner --uid-owner 1337 -j ISTIO_IN_REDIRECT
-A ISTIO_OUTPUT -o lo -p tcp ! --dport 53 -m owner ! --uid-owner 1337 -j RETURN
-A ISTIO_OUTPUT -m owner --uid-owner 1337 -j RETURN
-A ISTIO_OUTPUT -o lo ! -d 127.0.0.1/32 -p tcp ! --dport 15008 -m owner --gid-owner 1337 -j ISTIO_IN_REDIRECT
-A ISTIO_OUTPUT -o lo -p tcp ! --dport 53 -m owner ! --gid-owner 1337 -j RETURN
-A ISTIO_OUTPUT -m owner --gid-owner 1337 -j RETURN
-A ISTIO_OUTPUT -j ISTIO_OUTPUT_DNS
-A ISTIO_OUTPUT_DNS -p tcp --dport 53 -j REDIRECT --to-ports 15053
-A ISTIO_OUTPUT_DNS -p udp --dport 53 -j REDIRECT --to-port 15053
-A ISTIO_OUTPUT -d 127.0.0.1/32 -j RETURN
-A ISTIO_OUTPUT -j ISTIO_REDIRECT
COMMIT
* raw
-N ISTIO_OUTPUT_DNS
-N ISTIO_INBOUND
-A OUTPUT -j ISTIO_OUTPUT_DNS
-A ISTIO_OUTPUT_DNS -p udp --dport 53 -m owner --uid-owner 1337 -j CT --zone 1
-A ISTIO_OUTPUT_DNS -p udp --sport 15053 -m owner --uid-owner 1337 -j CT --zone 2
-A ISTIO_OUTPUT_DNS -p udp --dport 53 -m owner --gid-owner 1337 -j CT --zone 1
-A ISTIO_OUTPUT_DNS -p udp --sport 15053 -m owner --gid-owner 1337 -j CT --zone 2
-A PREROUTING -j ISTIO_INBOUND
-A ISTIO_OUTPUT_DNS -p udp --dport 53 -j CT --zone 2
-A ISTIO_INBOUND -p udp --sport 53 -j CT --zone 1
COMMIT
`);
});

test('nft', () => {
  const lines = nftTransaction(ruleset).split('\n');
  expect(lines.slice(0, 9)).toEqual([
    'add table inet istio-proxy-nat',
    'flush table inet istio-proxy-nat',
    'add chain inet istio-proxy-nat prerouting { type nat hook prerouting priority -100 ; }',
    'add chain inet istio-proxy-nat output { type nat hook output priority -100 ; }',
    'add chain inet istio-proxy-nat istio-inbound',
    'add chain inet istio-proxy-nat istio-redirect',
    'add chain inet istio-proxy-nat istio-in-redirect',
    'add chain inet istio-proxy-nat istio-output',
    'add chain inet istio-proxy-nat istio-output-dns',
  ]);
  expect(lines).toContain(
    'add rule inet istio-proxy-nat istio-output oifname lo meta l4proto tcp ip daddr != 127.0.0.1/32 ' +
      'tcp dport != { 53, 15008 } skuid 1337 counter jump istio-in-redirect',
  );
  expect(lines.at(-1)).toBe('add rule inet istio-proxy-raw istio-inbound udp sport 53 counter ct zone set 1');
});
