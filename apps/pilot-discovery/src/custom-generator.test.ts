import { expect, test } from '@jest/globals';
import { decodeAny, encodeAny, packAny } from '@kedge/envoy-api';
import { Answer } from '@kedge/xds-core';
import { type MeshGenerator, meshGenerators } from './index.ts';
import { AdsClient } from './testing/ads-client.ts';
import { RunningDiscovery } from './testing/running-discovery.ts';

/* The example of docs/discovery.md. */

const greeting: MeshGenerator = {
  generate: ({ client, push }) => {
    const any = encodeAny(packAny('google.protobuf.StringValue', `hello ${client.proxy.id}`));
    return new Answer([{ name: 'greeting', version: push.version, any }]);
  },
};

test('a generator that is registered from outside serves its type, for whom it is meant', async () => {
  const typeUrl = 'type.googleapis.com/google.protobuf.StringValue';
  const generators = meshGenerators();
  generators.register(`router/${typeUrl}`, greeting);
  await using discovery = await RunningDiscovery.start({}, generators);
  using gateway = new AdsClient(discovery.ports.grpc, 'delta', {
    id: 'router~10.0.0.9~edge.shop~shop.svc.cluster.local',
  });
  const [resource] = await gateway.subscribe(typeUrl);
  expect(decodeAny(resource!.any)).toMatchObject({ value: 'hello edge.shop' });

  await discovery.write('web.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n');
  expect(await gateway.next()).toMatchObject([{ name: 'greeting' }]);
});
