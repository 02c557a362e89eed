import { expect, test } from '@jest/globals';
import { TYPE_URLS } from '@kedge/networking';
import { until } from '@kedge/testbed';
import { AdsClient } from './testing/ads-client.ts';
import { RunningDiscovery } from './testing/running-discovery.ts';

const good = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: good, namespace: shop}
spec:
  hosts: [good.example.com]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  endpoints: [{address: 10.0.0.1}]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: good, namespace: shop}
spec:
  hosts: [good.example.com]
  http: [{route: [{destination: {host: good.example.com}}]}]
`;

const node = { id: 'sidecar~10.0.0.9~web.shop~shop.svc.cluster.local', metadata: { NAMESPACE: 'shop' } };

/** All that a proxy gets, as text. */
async function everything(port: number): Promise<Readonly<Record<string, string>>> {
  using client = new AdsClient(port, 'delta', node);
  const ask = async (type: string, names: readonly string[] = []): Promise<string> =>
    (await client.subscribe(type, names)).map(({ name, any }) => `${name} ${any.toString('hex')}`).join('\n');
  return {
    clusters: await ask(TYPE_URLS.CDS),
    endpoints: await ask(TYPE_URLS.EDS, ['outbound|80||good.example.com']),
    listeners: await ask(TYPE_URLS.LDS),
    routes: await ask(TYPE_URLS.RDS, ['80']),
  };
}

const object = (apiVersion: string, kind: string, spec: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: bad, namespace: shop}\nspec: ${spec}\n`;

test.each([
  ['broken YAML', 'spec: [never\nclosed: {', 'bad.yaml', /must end with a \]|end with a/],
  ['an unknown group', object('example.com/v1', 'Foo', '{}'), 'Foo/shop/bad', /unknown kind Foo/],
  ['a misspelt kind', object('networking.istio.io/v1', 'VirtualServices', '{}'), 'VirtualServices/shop/bad', /did you mean VirtualService/], // prettier-ignore
  [
    'an invalid regex',
    object(
      'networking.istio.io/v1',
      'VirtualService',
      `{hosts: [good.example.com], http: [{match: [{uri: {regex: '(((' }}], route: [{destination: {host: good.example.com}}]}]}`,
    ),
    'VirtualService/shop/bad',
    /RE2 syntax/,
  ],
  [
    'a ServiceEntry without hosts',
    object('networking.istio.io/v1', 'ServiceEntry', '{ports: [{number: 80, name: http, protocol: HTTP}]}'),
    'ServiceEntry/shop/bad',
    /needs a host/,
  ],
])('%s: one clear finding, and nobody else notices', async (_, text, subject, message) => {
  await using discovery = await RunningDiscovery.start({ 'good.yaml': good });
  const before = await everything(discovery.ports.grpc);
  for (const content of Object.values(before)) expect(content).not.toBe('');
  const findings = (): readonly string[] => discovery.lines.filter((line) => /\t(?:error|warn)\t/.test(line));
  expect(findings()).toEqual([]);

  await discovery.write('bad.yaml', text);
  await until('the finding', () => findings().length > 0);
  // A change that is good comes after it, so whatever the bad one does has been done by then.
  await discovery.write('good.yaml', `${good}---\n${object('networking.istio.io/v1', 'Sidecar', '{egress: [{hosts: ["./*"]}], workloadSelector: {labels: {app: none}}}').replace('name: bad', 'name: other')}`); // prettier-ignore
  await until('the good change', async () => (await discovery.get('/debug/configz')).includes('"Sidecar"'));

  expect(findings()).toEqual([expect.stringMatching(message)]);
  expect(await everything(discovery.ports.grpc)).toEqual(before);
  const status = JSON.parse(await discovery.get('/debug/push_status')) as Readonly<Record<string, object>>;
  const entries = Object.values(status).flatMap((rule) => Object.entries(rule));
  expect(entries).toEqual([[expect.stringContaining(subject), expect.objectContaining({ severity: 'error' })]]);
  expect(await discovery.metrics()).toMatch(/pilot_total_rejected_configs(?:_total)?\{[^}]*\} 1/);
});
