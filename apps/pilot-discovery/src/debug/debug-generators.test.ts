import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeAny } from '@kedge/envoy-api';
import { TYPE_URLS } from '@kedge/networking';
import { readScenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import { AdsClient, type AdsProtocol } from '../testing/ads-client.ts';
import { LivePlane } from '../testing/live-plane.ts';
import { connect } from '../xds/connect.ts';

const WEB = { id: 'sidecar~10.0.0.9~web.shop~shop.svc.cluster.local', metadata: { CLUSTER_ID: 'Kubernetes' } };
/** As istioctl introduces itself. */
const ISTIOCTL = { id: 'sidecar~0.0.0.0~debug~cluster.local', metadata: { GENERATOR: 'event' } };

let plane: LivePlane;
let web: AdsClient;

beforeAll(async () => {
  plane = await LivePlane.start(
    readScenario({ manifests: [], proxies: { name: 'proxies.yaml', text: 'proxies: []' } }),
  );
  web = new AdsClient(plane.port, 'delta', WEB);
  await web.subscribe(TYPE_URLS.CDS);
  await until('the ACK', () => plane.events('ack').length === 1);
});

afterAll(async () => {
  web[Symbol.dispose]();
  await plane[Symbol.asyncDispose]();
});

test.each<AdsProtocol>(['sotw', 'delta'])('istioctl gets what it asks for by %s', async (protocol) => {
  using istioctl = new AdsClient(plane.port, protocol, ISTIOCTL);
  const [status, ...others] = await istioctl.subscribe('istio.io/debug/syncz');
  expect(others).toEqual([]);
  expect(decodeAny(status!.any)).toEqual({
    '@type': 'type.googleapis.com/envoy.service.status.v3.ClientConfig',
    node: { id: 'web.shop', metadata: { CLUSTER_ID: 'Kubernetes', NAMESPACE: 'shop', ISTIO_VERSION: '' } },
    genericXdsConfigs: [TYPE_URLS.CDS, TYPE_URLS.LDS, TYPE_URLS.RDS, TYPE_URLS.EDS, TYPE_URLS.ECDS].map((typeUrl) => ({
      typeUrl,
      configStatus: typeUrl === TYPE_URLS.CDS ? 'SYNCED' : 'NOT_SENT',
    })),
  });

  const dump = await istioctl.subscribe('istio.io/debug/config_dump', ['web.shop']);
  const clusters = dump
    .map(({ any }) => decodeAny(any))
    .find(({ '@type': type }) => type.endsWith('ClustersConfigDump'));
  expect(JSON.stringify(clusters)).toContain('BlackHoleCluster');

  const [page] = await istioctl.subscribe('istio.io/debug', ['config_dump?proxyID=web.shop']);
  const { body } = await plane.debug('/debug/config_dump?proxyID=web.shop');
  expect(page?.any.includes(body)).toBe(true);
});

test('only clients on this machine may ask', () => {
  const at = (address: string) => connect(WEB, { address });
  expect(at('127.0.0.1:4711')).toMatchObject({ client: { isLocal: true } });
  expect(at('10.0.0.9:4711')).toMatchObject({ client: { isLocal: false } });
});
