import { expect, test } from '@jest/globals';
import { TYPE_URLS } from '@kedge/networking';
import { readScenario, type Scenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import { AdsClient } from './testing/ads-client.ts';
import { LivePlane } from './testing/live-plane.ts';

const node = { id: 'sidecar~10.0.0.9~web.shop~shop.svc.cluster.local' };

const scenario = (address: string, env: string): Scenario =>
  readScenario({
    manifests: [
      {
        name: 'input.yaml',
        text: `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: 10.96.0.1, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints: [{addresses: [${address}], conditions: {ready: true}}]
`,
      },
    ],
    proxies: { name: 'proxies.yaml', text: `proxies: []\nenv: ${env}` },
  });

test.each([
  ['at once with PILOT_ENABLE_EDS_DEBOUNCE=false', 'false', 'sent'],
  ['after the quiet time by default', 'true', 'waits'],
])('endpoints are pushed %s', async (_, debounce, outcome) => {
  const env = `{PILOT_DEBOUNCE_AFTER: 1h, PILOT_ENABLE_EDS_DEBOUNCE: ${debounce}}`;
  await using plane = await LivePlane.start(scenario('10.1.0.1', env));
  using client = new AdsClient(plane.port, 'delta', node);
  await client.subscribe(TYPE_URLS.CDS);
  await client.subscribe(TYPE_URLS.EDS, ['outbound|80||web.shop.svc.cluster.local']);
  await until('the ACKs', () => plane.events('ack').length === 2);

  plane.source.put(...scenario('10.1.0.2', env).objects.filter(({ kind }) => kind === 'EndpointSlice'));
  if (outcome === 'sent') await until('the push', () => plane.events('sent').some(({ reason }) => reason === 'push'));
  expect(plane.events('pushStarted')).toHaveLength(outcome === 'sent' ? 1 : 0);
});
