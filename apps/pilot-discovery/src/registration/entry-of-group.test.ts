import { expect, test } from '@jest/globals';
import { type ConfigOf, parseConfigFile, parseProxy, type Proxy } from '@kedge/model';
import { entryName, entryOfGroup, withHealth } from './entry-of-group.ts';

function proxyOf(metadata: object = {}, address = '10.0.0.1'): Proxy {
  const parsed = parseProxy({
    id: `sidecar~${address}~vm.shop~shop.svc.cluster.local`,
    metadata: { NAMESPACE: 'shop', AUTO_REGISTER_GROUP: 'web', ...metadata },
    locality: { region: 'r', zone: 'z' },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

const group = parseConfigFile(
  `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: web, namespace: shop}
spec:
  metadata: {labels: {app: of-group, b: of-group}, annotations: {note: x}}
  template: {serviceAccount: web, ports: {http: 8080}, weight: 7, labels: {app: of-template, c: of-template}}
`,
  'group.yaml',
)[0]!.config as ConfigOf<'WorkloadGroup'>;

test('an entry has what its group says, over which its node has the last word', () => {
  const metadata = { NETWORK: 'n1', LABELS: { b: 'of-node', 'istio-locality': 'r.z' }, ENABLE_HBONE: 'true' };
  const labels = { app: 'of-group', b: 'of-node', c: 'of-template', 'networking.istio.io/tunnel': 'http' };
  expect(entryOfGroup(group, proxyOf(metadata))).toMatchObject({
    kind: 'WorkloadEntry',
    namespace: 'shop',
    name: 'web-10.0.0.1-n1',
    labels,
    annotations: { 'istio.io/autoRegistrationGroup': 'web', note: 'x' },
    spec: {
      address: '10.0.0.1',
      serviceAccount: 'web',
      ports: { http: 8080 },
      weight: 7,
      network: 'n1',
      locality: 'r/z',
      labels,
    },
  });
});

test.each([
  [proxyOf(), 'web-10.0.0.1'],
  [proxyOf({}, 'fd00::1'), 'web-fd00--1'],
  [proxyOf({ AUTO_REGISTER_GROUP: 'x'.repeat(250) }), `${'x'.repeat(244)}-10.0.0.1`],
])('the name of %# fits', (proxy, name) => {
  expect(entryName(proxy)).toBe(name);
});

test('health is checked where the proxy probes its workload', () => {
  const key = 'proxy.istio.io/health-checks-enabled';
  expect(entryOfGroup(group, proxyOf()).annotations[key]).toBeUndefined();
  const entry = entryOfGroup(group, proxyOf({ PROXY_CONFIG: { readinessProbe: { httpGet: { port: 80 } } } }));
  expect(entry.annotations[key]).toBe('true');
  const conditions = (problem?: string) => withHealth(entry, problem, new Date(0)).status?.['conditions'];
  const time = { lastProbeTime: '1970-01-01T00:00:00.000Z', lastTransitionTime: '1970-01-01T00:00:00.000Z' };
  expect(conditions()).toEqual([{ type: 'Healthy', status: 'True', ...time }]);
  expect(conditions('refused')).toEqual([{ type: 'Healthy', status: 'False', message: 'refused', ...time }]);
});
