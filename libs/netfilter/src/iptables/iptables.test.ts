import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sidecarRemnants, sidecarRuleset } from '../sidecar/sidecar.ts';
import type { SidecarOptions } from '../sidecar/options.ts';
import { defaultSidecarSettings, parseSidecarSettings, type SidecarSettings } from '../sidecar/settings.ts';
import { anyOptions } from '../testing/arbitrary.ts';
import { FakeIptables } from '../testing/fake-iptables.ts';
import { applyIptables, type Iptables, isIptablesInEffect, removeIptables } from './iptables.ts';
import { hasResidue, hasShapeOf, parseSaved } from './state.ts';
import { restoreLines, restoreText } from './text.ts';
import type { Variant } from './variant.ts';
import { iptablesRules } from './words.ts';

const variant = (family: Variant['family'], name: string): Variant => ({ family, name, locks: false, hasRules: false });
const variants = { ipv4: variant('ipv4', 'iptables'), ipv6: variant('ipv6', 'ip6tables') };
const on = (kernel: FakeIptables): Iptables => ({ run: kernel.run, variants });

const options = (given: Partial<SidecarSettings> = {}): SidecarOptions => {
  const result = parseSidecarSettings({ ...defaultSidecarSettings, ...given });
  if (!result.ok) throw new Error(result.problems.join('; '));
  return result.options;
};

async function apply(kernel: FakeIptables, of: SidecarOptions, more: { reconcile?: boolean; force?: boolean } = {}) {
  const remnants = sidecarRuleset(sidecarRemnants(of));
  return applyIptables(on(kernel), sidecarRuleset(of), {
    reconcile: false,
    force: false,
    confirm: true,
    remnants,
    ...more,
  });
}

describe('apply', () => {
  test('what is in effect is not written again', async () => {
    const kernel = new FakeIptables();
    const all = options({ inboundPortsInclude: '*', enableIpv6: true });
    expect(await apply(kernel, all)).toEqual({ changed: ['ipv4', 'ipv6'], problems: [] });
    expect(await apply(kernel, all)).toEqual({ changed: [], problems: [] });
    expect(kernel.written).toHaveLength(2);
    expect(await apply(kernel, all, { force: true })).toEqual({ changed: ['ipv4', 'ipv6'], problems: [] });
  });

  test('what somebody else has brought into effect meanwhile is no error', async () => {
    const kernel = new FakeIptables();
    const both = await Promise.all([apply(kernel, options()), apply(kernel, options())]);
    expect(both.flatMap(({ changed }) => changed)).toEqual(['ipv4']);
  });

  test('what is missing or too much is told', async () => {
    const kernel = new FakeIptables();
    const all = sidecarRuleset(options({ inboundPortsInclude: '*', enableIpv6: true }));
    const isInEffect = () => isIptablesInEffect(on(kernel), all);
    expect(await isInEffect()).toBe(false);
    await applyIptables(on(kernel), all, { reconcile: false, force: false, confirm: true });
    expect(await isInEffect()).toBe(true);
    kernel.add('ip6tables', '* nat\n-F ISTIO_OUTPUT\n');
    expect(await isInEffect()).toBe(false);
    await applyIptables(on(kernel), all, { reconcile: true, force: false, confirm: true });
    kernel.add('iptables', '* nat\n-D OUTPUT -j ISTIO_OUTPUT\n');
    expect(await isInEffect()).toBe(false);
  });

  test('what differs is an error, or replaced, in one transaction', async () => {
    const kernel = new FakeIptables();
    await apply(kernel, options({ inboundPortsInclude: '*' }));
    const other = options({ inboundPortsInclude: '80' });
    await expect(apply(kernel, other)).rejects.toThrow('iptables: rules of an earlier run are in place');
    kernel.written.length = 0;
    await apply(kernel, other, { reconcile: true });
    expect(kernel.written).toHaveLength(1);
  });

  test('a family that differs does not bother the other', async () => {
    const kernel = new FakeIptables();
    await apply(kernel, options());
    expect((await apply(kernel, options({ enableIpv6: true }))).changed).toEqual(['ipv6']);
  });

  test("others' rules stay", async () => {
    const kernel = new FakeIptables();
    kernel.add('iptables', '* nat\n-N KUBE-X\n-A PREROUTING -p tcp -j KUBE-X\n-A KUBE-X -j RETURN\n');
    const before = kernel.state;
    await apply(kernel, options({ inboundPortsInclude: '*', excludeInterfaces: 'eth1' }));
    await removeIptables(on(kernel), sidecarRuleset(sidecarRemnants(options({ excludeInterfaces: 'eth1' }))));
    expect(kernel.state).toBe(before);
  });

  test('an error names the line that it is about', async () => {
    const kernel = new FakeIptables();
    kernel.add('iptables', '* raw\n-N ISTIO_X\n');
    const run: Iptables['run'] = (command) =>
      command.program === 'iptables-restore'
        ? Promise.resolve({ code: 2, stdout: '', stderr: 'bad rule\nError occurred at line: 3\n' })
        : kernel.run(command);
    const settings = { reconcile: true, force: false, confirm: false };
    await expect(applyIptables({ run, variants }, sidecarRuleset(options()), settings)).rejects.toThrow(
      '"iptables-restore --noflush" failed with code 2: bad rule (in line 3: -N ISTIO_REDIRECT)',
    );
  });

  test('IPv6 without ip6tables is an error only if it is needed', async () => {
    const kernel = new FakeIptables();
    const iptables = { run: kernel.run, variants: { ipv4: variants.ipv4 } };
    const settings = { reconcile: false, force: false, confirm: true };
    const { changed } = await applyIptables(iptables, sidecarRuleset(options()), settings);
    expect(changed).toEqual(['ipv4']);
    await expect(applyIptables(iptables, sidecarRuleset(options({ enableIpv6: true })), settings)).rejects.toThrow(
      'no ip6tables that can be used',
    );
  });

  test('legacy waits for the lock, its own if there is one', async () => {
    const calls: string[] = [];
    const run: Iptables['run'] = ({ program, args, env }) => {
      calls.push([program, ...args, JSON.stringify(env)].join(' '));
      return Promise.resolve({ code: 0, stdout: '', stderr: '' });
    };
    const legacy = { ...variants.ipv4, name: 'iptables-legacy', locks: true };
    await applyIptables({ run, variants: { ipv4: legacy }, lockFile: '/run/netns/pod' }, sidecarRuleset(options()), {
      reconcile: false,
      force: false,
      confirm: false,
    });
    expect(calls).toEqual([
      'iptables-legacy-save {"XTABLES_LOCKFILE":"/run/netns/pod"}',
      'iptables-legacy-restore --noflush --wait=30 {"XTABLES_LOCKFILE":"/run/netns/pod"}',
    ]);
  });
});

/** Options that share what can't be told from others' rules once it isn't wanted any more. */
const successors = fc.tuple(anyOptions, anyOptions).map(
  ([before, after]) =>
    [
      before,
      {
        ...after,
        excludedInterfaces: before.excludedInterfaces,
        virtualInterfaces: before.virtualInterfaces,
        proxyUids: before.proxyUids,
        proxyGids: before.proxyGids,
        loopbackRange: before.loopbackRange,
      },
    ] as const,
);

test('whatever was in effect, what is applied is in effect, once and again; and removed, nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(successors, async ([before, after]) => {
      const fresh = new FakeIptables();
      await apply(fresh, after);
      const kernel = new FakeIptables();
      await apply(kernel, before);
      await apply(kernel, { ...after, families: before.families }, { reconcile: true });
      expect((await apply(kernel, { ...after, families: before.families })).changed).toEqual([]);
      if (before.families.length === after.families.length) expect(kernel.state).toBe(fresh.state);
      await removeIptables(on(kernel), sidecarRuleset(sidecarRemnants(after)));
      expect(kernel.state).toBe(new FakeIptables().state);
    }),
  );
});

test('what is written has the shape that is looked for', () => {
  fc.assert(
    fc.property(anyOptions, (of) => {
      const rules = iptablesRules(sidecarRuleset(of), 'ipv4');
      const state = parseSaved(restoreText(restoreLines(rules)));
      expect(hasResidue(state)).toBe(true);
      expect(hasShapeOf(state, rules)).toBe(true);
      expect(
        hasShapeOf(
          state,
          rules.filter(({ chain }) => chain !== 'ISTIO_REDIRECT'),
        ),
      ).toBe(false);
    }),
  );
});
