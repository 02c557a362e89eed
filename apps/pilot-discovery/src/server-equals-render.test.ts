import { describe, expect, test } from '@jest/globals';
import type { Node } from '@kedge/envoy-api';
import { TYPE_URLS } from '@kedge/networking';
import { renderProxy } from '@kedge/render';
import { AdsClient, type AdsProtocol, type ReceivedResource } from './testing/ads-client.ts';
import { conformanceScenario, scenarioNames } from './testing/fixtures.ts';
import { LivePlane } from './testing/live-plane.ts';

/** Types that Envoy asks for as a whole; of the others it asks for what it needs, by name. */
const wildcards: ReadonlySet<string> = new Set(['cds', 'lds', 'nds']);

test('there are scenarios', () => {
  expect(scenarioNames.length).toBeGreaterThan(50);
});

describe.each(scenarioNames)('%s: clients of a server get byte for byte what is rendered', (name) => {
  const scenario = conformanceScenario(name);

  test.each<AdsProtocol>(['sotw', 'delta'])(
    '%s',
    async (protocol) => {
      await using server = await LivePlane.start(scenario);
      for (const { node, proxy } of scenario.proxies) {
        using client = new AdsClient(server.port, protocol, node as Node);
        for (const [type, resources = []] of Object.entries(renderProxy(scenario.push, proxy))) {
          const wanted = wildcards.has(type) ? [] : resources.map((resource) => resource.name);
          const received = await client.subscribe(TYPE_URLS[type.toUpperCase() as keyof typeof TYPE_URLS], wanted);
          const rendered = resources.map((resource) => ({
            name: protocol === 'delta' ? resource.name : '',
            any: Buffer.from(resource.any),
          }));
          // Comparing buffers member by member takes long, and says little.
          const same = rendered.length === received.length && rendered.every((one, at) => isSame(one, received[at]));
          expect({ type, proxy: proxy.id, same }).toEqual({ type, proxy: proxy.id, same: true });
        }
      }
    },
    30_000,
  );
});

const isSame = (a: ReceivedResource, b: ReceivedResource | undefined): boolean =>
  b !== undefined && a.name === b.name && a.any.equals(b.any);
