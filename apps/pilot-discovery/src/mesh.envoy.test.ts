import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeAny, packAny } from '@kedge/envoy-api';
import { defaultMeshConfig } from '@kedge/model';
import { TYPE_URLS } from '@kedge/networking';
import { Traffic, until } from '@kedge/testbed';
import { Answer } from '@kedge/xds-core';
import { baseObjects, EnvoyWorld, HOST, objectsOf, serviceEntry, virtualService } from './testing/envoy-world.ts';

/** A cluster that Envoy refuses, though nothing in the protobuf rules forbids it. */
const refusedCluster = {
  name: 'refused',
  version: '1',
  any: encodeAny(packAny('envoy.config.cluster.v3.Cluster', { name: 'refused', type: 'EDS' })),
};

interface RefusedResources {
  readonly resources: readonly { readonly name: string; readonly culprit: boolean }[];
}

describe.each(['delta', 'sotw'] as const)('stock Envoys by %s', (protocol) => {
  let world: EnvoyWorld;
  let traffic: readonly Traffic[];

  beforeAll(async () => {
    world = await EnvoyWorld.start(protocol);
    traffic = world.urls.map((url) => new Traffic(url, HOST));
  }, 60_000);

  afterAll(async () => {
    await Promise.all((traffic ?? []).map((one) => one[Symbol.asyncDispose]()));
    await world?.[Symbol.asyncDispose]();
  });

  /** Requests that begin from here on succeed, and so did all before. */
  const served = async (): Promise<void> => {
    for (const one of traffic) await one.take(20);
  };
  const routedBy = async (route: string): Promise<void> => {
    for (const one of traffic) {
      await until(`the route "${route}"`, async () => [...(await one.take(20)).keys()].join() === route);
    }
  };
  const nacks = (): number => world.server.events('nack').length;
  const put = (yaml: string): void => world.server.source.put(...objectsOf(yaml));
  const clusters = async (): Promise<readonly string[]> => [
    ...(await world.proxies[0]!.admin.configDump()).clusters.active.keys(),
  ];

  test('first connect: they hold what was generated, and serve', async () => {
    await world.settled();
    await served();
    expect(nacks()).toBe(0);
    expect(world.server.plane.server.clients().map(({ protocol: spoken }) => spoken)).toEqual([protocol, protocol]);
  });

  test('a changed route takes effect', async () => {
    put(virtualService(world.ports, 'second'));
    await world.settled();
    await routedBy('second');
    expect(nacks()).toBe(0);
  });

  test('a service comes and goes', async () => {
    const cluster = `outbound|${world.ports.service}||other.example.com`;
    put(serviceEntry('other', 'other.example.com', world.ports));
    await until('the cluster', async () => (await clusters()).includes(cluster));
    await world.settled();
    world.server.source.delete({ kind: 'ServiceEntry', namespace: 'test', name: 'other' });
    await until('the end of the cluster', async () => !(await clusters()).includes(cluster));
    await world.settled();
    await served();
    expect(nacks()).toBe(0);
  });

  test('a changed DestinationRule takes effect, and no cluster goes on warming', async () => {
    put(`
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: api, namespace: test}
spec: {host: ${HOST}, trafficPolicy: {connectionPool: {tcp: {connectTimeout: 7s}}}}
`);
    const cluster = `outbound|${world.ports.service}||${HOST}`;
    for (const { name, admin } of world.proxies) {
      await until(`the cluster of ${name}`, async () => {
        const { active } = (await admin.configDump()).clusters;
        return (active.get(cluster) as { connect_timeout?: string }).connect_timeout === '7s';
      });
      expect(await admin.stat('cluster_manager.warming_clusters')).toBe(0);
    }
    await world.settled();
    await served();
    expect(nacks()).toBe(0);
  });

  test('a changed listener takes effect though its routes stay, and none goes on warming', async () => {
    const mesh = { ...defaultMeshConfig, accessLogFile: '/dev/null' };
    world.server.plane.configure({ mesh }, 'global');
    for (const { name, admin } of world.proxies) {
      await until(`the listeners of ${name}`, async () => {
        const { active, warming } = (await admin.configDump()).listeners;
        return warming.size === 0 && [...active.values()].every((one) => JSON.stringify(one).includes('/dev/null'));
      });
      expect(await admin.stat('listener_manager.total_listeners_warming')).toBe(0);
    }
    await world.settled();
    await served();
    expect(nacks()).toBe(0);
  });

  test('a restart of the control plane costs no request, and what changed meanwhile arrives', async () => {
    await world.restart([...baseObjects(world.ports), ...objectsOf(virtualService(world.ports, 'third'))]);
    await world.settled();
    await routedBy('third');
    expect(nacks()).toBe(0);
  });

  test('what Envoy refuses is reported, and what is good later is taken', async () => {
    let broken = true;
    const good = world.generators.find(TYPE_URLS.CDS, { nodeType: 'sidecar' });
    if (!good) throw new Error('there is no generator of clusters');
    world.generators.register(TYPE_URLS.CDS, {
      generate: (context) => {
        const { resources } = good.generate(context) ?? Answer.empty;
        return new Answer(broken ? [...resources, refusedCluster] : resources);
      },
    });
    put(serviceEntry('other', 'other.example.com', world.ports));
    await until('the refusals', () => world.server.events('nack').length >= 2);
    expect(world.server.events('nack')[0]?.nack.message).toContain('refused');
    await until('the culprit to be known', async () => {
      const { resources } = (await world.server.debugJson('/debug/nacks')) as RefusedResources;
      return resources.length === 1 && resources[0]?.culprit && resources[0].name === refusedCluster.name;
    });
    expect(await world.server.metrics()).toMatch(/pilot_total_xds_rejects(_total)?\{type="cds"\} [1-9]/);
    // What came in the same answer arrives all the same.
    await until('the other cluster', async () =>
      (await clusters()).includes(`outbound|${world.ports.service}||other.example.com`),
    );
    await served();

    broken = false;
    put(serviceEntry('more', 'more.example.com', world.ports));
    await world.settled();
    expect(await clusters()).toContain(`outbound|${world.ports.service}||more.example.com`);
    expect(await world.server.debugJson('/debug/nacks')).toMatchObject({ resources: [], clients: [] });
    await served();
    world.generators.register(TYPE_URLS.CDS, good);
  });
});
