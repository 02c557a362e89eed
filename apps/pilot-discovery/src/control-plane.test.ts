import { expect, test } from '@jest/globals';
import { MemorySource } from '@kedge/config';
import { parseProxy } from '@kedge/model';
import { TYPE_URLS } from '@kedge/networking';
import { AddressAllocator, servicesOfHost } from '@kedge/registry';
import { readScenario, type Scenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import { ControlPlane } from './control-plane.ts';
import { AdsClient } from './testing/ads-client.ts';
import { LivePlane } from './testing/live-plane.ts';
import { meshGenerators } from './xds/mesh-generators.ts';

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

test('hosts get addresses from the allocator, with the first snapshot and later', async () => {
  const entry = (name: string): string =>
    `{apiVersion: networking.istio.io/v1, kind: ServiceEntry, metadata: {name: ${name}, namespace: shop}, spec: {hosts: [${name}.example], resolution: DNS, ports: [{number: 9000, name: tcp, protocol: TCP}]}}`;
  const { settings, objects } = readScenario({
    manifests: [{ name: 'input.yaml', text: [entry('early'), entry('late')].join('\n---\n') }],
    proxies: { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 1ms}' },
  });
  const source = new MemorySource(objects.filter(({ name }) => name === 'early'));
  const allocator = new AddressAllocator({ ipv4: '240.240.0.0/16', ipv6: '2001:2::/48' });
  await using plane = new ControlPlane({ settings, source, generators: meshGenerators(), allocator });
  const parsed = parseProxy(node);
  if ('problem' in parsed) throw new Error(parsed.problem);
  const allocated = (host: string): readonly string[] =>
    plane.server.snapshot.evaluate(parsed.proxy, servicesOfHost, host)[0]?.autoAllocated ?? [];

  expect(allocated('early.example')).toEqual([
    expect.stringMatching(/^240\.240\./),
    expect.stringMatching(/^2001:2::/),
  ]);
  source.put(...objects);
  await until('an address', () => allocated('late.example').length === 2);
});
