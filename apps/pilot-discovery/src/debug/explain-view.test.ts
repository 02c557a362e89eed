import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TYPE_URLS } from '@kedge/networking';
import { readScenario } from '@kedge/render';
import { AdsClient } from '../testing/ads-client.ts';
import { LivePlane } from '../testing/live-plane.ts';

const manifests = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: 10.96.0.1, selector: {app: web}, ports: [{name: http, port: 80}]}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: web, namespace: shop}
spec: {hosts: [web], http: [{match: [{uri: {prefix: /}}], route: [{destination: {host: web}}]}]}
`;
const HOST = 'web.shop.svc.cluster.local:80';

let plane: LivePlane;
let client: AdsClient;

beforeAll(async () => {
  const proxies = { name: 'proxies.yaml', text: 'proxies: []' };
  plane = await LivePlane.start(readScenario({ manifests: [{ name: 'input.yaml', text: manifests }], proxies }));
  const metadata = { NAMESPACE: 'shop', CLUSTER_ID: 'Kubernetes' };
  client = new AdsClient(plane.port, 'delta', { id: 'sidecar~10.0.0.9~client.shop~shop.svc.cluster.local', metadata });
  await client.subscribe(TYPE_URLS.CDS);
});

afterAll(async () => {
  client[Symbol.dispose]();
  await plane[Symbol.asyncDispose]();
});

const explain = (query: string) => plane.debug(`/debug/explain?${query}`);

test('as JSON: objects and fields, reads, pieces', async () => {
  const { body } = await explain('proxy=client.shop&resource=rds/80');
  expect(JSON.parse(body)).toMatchObject({
    proxy: 'client.shop',
    type: TYPE_URLS.RDS,
    name: '80',
    pieces: expect.arrayContaining([
      {
        name: HOST,
        from: [{ kind: 'VirtualService', namespace: 'shop', name: 'web', field: 'spec.http[0].match[0]' }],
      },
    ]),
  });
});

test('for people: why it is here, and what would change it', async () => {
  const { body } = await explain(`proxy=client.shop&resource=route/80&piece=${encodeURIComponent(HOST)}&pretty`);
  const [why, change] = body.split('What would change it?');
  expect(why).toContain(`Why is this here?\n  - VirtualService shop/web spec.http[0].match[0]\n`);
  expect(change).toContain('- Service/shop/web');
  expect(change).toContain('- any DestinationRule whose host is web.shop.svc.cluster.local (0 found)');
  expect(change).toContain('- MeshConfig');
  expect(change).toContain('- namespace = shop');
});

describe('what cannot be explained', () => {
  test.each([
    ['resource=rds/80', 400],
    ['proxy=client.shop', 400],
    ['proxy=client.shop&resource=xds/80', 400],
    ['proxy=client.shop&resource=sds/default', 403],
    ['proxy=nobody.shop&resource=rds/80', 404],
    ['proxy=client.shop&resource=cds/none', 404],
    ['proxy=client.shop&resource=rds/80&piece=none', 404],
  ])('%s', async (query, status) => {
    expect(await explain(query)).toMatchObject({ status });
  });
});
