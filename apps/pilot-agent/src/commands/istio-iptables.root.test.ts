import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { missingForRoot, PodNetwork } from '../testing/pod-network.ts';

const missing = missingForRoot(['ip', 'nft', 'iptables-nft', 'nsenter', '/usr/bin/python3']);
if (missing !== undefined) process.stderr.write(`tests of istio-iptables are left out: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

const main = join(import.meta.dirname, '..', 'main.ts');

/** As the injection template calls it. */
const ofTemplate = [
  '-p',
  '15001',
  '-z',
  '15006',
  '-u',
  '1337',
  '-m',
  'REDIRECT',
  '-i',
  '*',
  '-x',
  '',
  '-b',
  '*',
  '-d',
  '15090',
];

function agent(network: PodNetwork, ...args: readonly string[]) {
  return agentAs(0, network, ...args);
}

function agentAs(uid: number, network: PodNetwork, ...args: readonly string[]) {
  const namespace = [`--net=${network.path}`, '-S', String(uid), '-G', String(uid)];
  const node = [process.execPath, main, ...args];
  const { status, stdout, stderr } = spawnSync('nsenter', [...namespace, '--', ...node], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

suite('pilot-agent istio-iptables', () => {
  test('validates, applies, is applied already, and cleans up', () => {
    using network = new PodNetwork('command');
    const validation = ['istio-iptables', '--skip-rule-apply', '--run-validation', '--probe-timeout', '1s'];
    // Validation runs as the proxy: on the loopback interface, only its connections are redirected.
    const before = agentAs(1337, network, ...validation);
    expect(before.status).toBe(126);
    expect(before.output).toContain(
      "Error: the pod's traffic is not redirected to the proxy (no connection was redirected within 1000 ms)",
    );

    const applied = agent(network, 'istio-iptables', ...ofTemplate, '--dual-stack');
    expect(applied).toMatchObject({ status: 0 });
    expect(applied.output).toContain('rules written (ipv4, ipv6)');
    expect(agentAs(1337, network, ...validation)).toMatchObject({ status: 0 });
    expect(agent(network, 'istio-iptables', ...ofTemplate, '--dual-stack').output).toContain('in effect already');
    expect(agent(network, 'istio-iptables', ...ofTemplate, '--dual-stack', '-o', '9').output).toContain(
      'with --reconcile they are replaced',
    );

    expect(agent(network, 'istio-clean-iptables', ...ofTemplate)).toMatchObject({ status: 0 });
    expect(network.output('iptables-save') + network.output('ip6tables-save')).not.toContain('ISTIO');
  });

  test('an error of iptables names the line that it is about', () => {
    using network = new PodNetwork('error');
    const { status, output } = agent(network, 'istio-iptables', '-u', 'nobody-of-this-name');
    expect(status).toBe(1);
    expect(output).toMatch(/Error: "iptables-nft-restore --noflush" failed with code 2: .*owner.*nobody-of-this-name/);
  });
});
