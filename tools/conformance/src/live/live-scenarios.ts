import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { type NamedProxy, renderProxy, type Scenario } from '@kedge/render';
import { FIXTURES, scenarioIn, scenarioNames } from '../xds.ts';
import { extensionsOf, istioExtensions } from './extensions.ts';
import { pushLive } from './live-push.ts';
import { needsPrivileges } from './privileges.ts';
import type { XdsMode } from './stock-envoy.ts';

const modes: readonly XdsMode[] = ['sotw', 'delta'];

interface LiveCase {
  readonly scenario: Scenario;
  readonly proxies: readonly NamedProxy[];
  readonly mode: XdsMode;
}

/**
 * Tests that a real Envoy accepts what is generated for the proxies of all scenarios.
 * @param privileged chooses those that need root, which then run in network namespaces, or all others.
 */
export function testLiveScenarios(privileged: boolean): void {
  const binary = process.env['ENVOY_BIN'] ?? '';
  if (!binary) throw new Error('ENVOY_BIN is not set');
  const leftOut = new Set<string>();
  const isRoot = process.getuid?.() === 0;
  if (privileged && !isRoot)
    process.stderr.write('live scenarios in network namespaces are left out: they need root\n');

  (privileged && !isRoot ? test.skip : test).each(scenarioNames(FIXTURES).flatMap((name) => casesOf(name, privileged)))(
    '%s',
    async (_, { scenario, proxies, mode }) => {
      const verdicts = await Promise.all(
        proxies.map((proxy) => pushLive(scenario, proxy, { binary, mode, isolated: privileged })),
      );
      for (const name of verdicts.flatMap((verdict) => verdict.leftOut)) leftOut.add(name);
      const problems = verdicts.flatMap((verdict) => verdict.problems.map((problem) => `${verdict.proxy} ${problem}`));
      expect(problems).toEqual([]);
      // What EnvoyFilters bring goes where they put it beside what was left out, or where Envoy would refuse it.
      const patches = extensionsOf(scenario.objects.filter(({ kind }) => kind === 'EnvoyFilter'));
      const strange = verdicts.flatMap((verdict) => verdict.leftOut.filter((name) => !istioExtensions.has(name)));
      expect(strange.filter((name) => !patches.includes(name))).toEqual([]);
    },
  );

  afterAll(() => {
    process.stderr.write(`left out for a stock Envoy: ${[...leftOut].sort().join(', ')}\n`);
  });
}

function casesOf(name: string, privileged: boolean): readonly [title: string, live: LiveCase][] {
  const scenario = scenarioIn(join(FIXTURES, name));
  const proxies = scenario.proxies.filter(
    // ztunnel is no Envoy.
    ({ proxy }) => proxy.type !== 'ztunnel' && needsPrivileges(renderProxy(scenario.push, proxy)) === privileged,
  );
  if (proxies.length === 0) return [];
  const title = `${name}: ${proxies.map((proxy) => proxy.name).join(', ')}`;
  return modes.map((mode) => [`${mode} ${title}`, { scenario, proxies, mode }]);
}
