import { expect, test } from '@jest/globals';
import { explainResource, originsOf } from './provenance.ts';
import { meshOf, proxyOf, withObjects } from './testing/mesh.ts';
import { virtualServiceManifest } from './testing/routes.ts';
import { TYPE_URLS } from './type-urls.ts';

const service = (name: string, ip: number) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: {clusterIP: 10.0.0.${ip}, selector: {app: ${name}}, ports: [{name: http, port: 80}]}
---`;
const mesh = meshOf(`${service('web', 1)}${service('other', 2)}
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web, subsets: [{name: v1, labels: {version: v1}}]}
---${virtualServiceManifest('web', 'hosts: [web], http: [{match: [{uri: {prefix: /a}}, {uri: {prefix: /b}}], route: [{destination: {host: web, subset: v1}}]}, {route: [{destination: {host: other}}]}]')}
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
`);
const proxy = proxyOf('client');
const cluster = { type: TYPE_URLS.CDS, name: 'outbound|80|v1|web.shop.svc.cluster.local' };
const routes = { type: TYPE_URLS.RDS, name: '80' };

test('a cluster: its rule and service, and nothing of other services', () => {
  const explained = explainResource(mesh, proxy, cluster);
  expect(explained?.from).toEqual([
    { kind: 'DestinationRule', namespace: 'shop', name: 'web', field: 'spec.subsets[v1]' },
    { kind: 'Service', namespace: 'shop', name: 'web', field: 'spec.ports[http]' },
  ]);
  expect(explained?.reads.objects).toEqual(expect.arrayContaining(['DestinationRule/shop/web', 'Service/shop/web']));
  expect(explained?.reads.settings).toContain('MeshConfig');
});

test('a virtual host: where each of its routes was written', () => {
  const web = 'web.shop.svc.cluster.local:80';
  const explained = explainResource(mesh, proxy, { ...routes, piece: web });
  const rule = { kind: 'VirtualService', namespace: 'shop', name: 'web' };
  expect(explained?.from).toEqual([
    { ...rule, field: 'spec.http[0].match[0]' },
    { ...rule, field: 'spec.http[0].match[1]' },
    { ...rule, field: 'spec.http[1]' },
  ]);
  expect(explained?.plan).toMatchObject({ name: web, source: { kind: 'virtual-service' } });
  expect(explainResource(mesh, proxy, routes)?.pieces).toContainEqual({ name: web, from: explained?.from });
  expect(originsOf(mesh, proxy, routes)).toEqual(explained?.from);
});
test('what would change it: objects, also such as are not there yet, settings and facts of the proxy', () => {
  const listener = { type: TYPE_URLS.LDS, name: 'virtualInbound' };
  const explained = explainResource(mesh, proxy, listener);
  expect(explained?.reads.objects).toContain('PeerAuthentication/shop/default');
  expect(explained?.reads.absent).toContain('Pod/shop/client');
  expect(explained?.reads.lookUps).toContainEqual({
    kind: 'AuthorizationPolicy',
    by: 'namespace',
    value: 'shop',
    found: [],
  });
  expect(explained?.reads.facts).toContainEqual({ fact: 'interceptionMode', args: [], answer: 'REDIRECT' });
  expect(explained?.pieces.map(({ name }) => name)).toContain('virtualInbound tls');
  // Another namespace's policy leaves it as it is; one that is found by a look-up is named as the cause.
  const policy = (namespace: string) => `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: none, namespace: ${namespace}}
spec: {}`;
  const same = withObjects(mesh, policy('elsewhere'));
  expect(explainResource(same, proxy, listener)?.cause).toBeUndefined();
  const changed = explainResource(withObjects(same, policy('shop')), proxy, listener);
  expect(changed?.reads.objects).toContain('AuthorizationPolicy/shop/none');
  expect(changed?.version).not.toBe(explained?.version);
});

test('endpoints follow from their service', () => {
  const endpoints = { type: TYPE_URLS.EDS, name: cluster.name };
  expect(explainResource(mesh, proxy, endpoints)).toMatchObject({
    from: [{ kind: 'Service', namespace: 'shop', name: 'web' }],
    reads: { lookUps: expect.arrayContaining([expect.objectContaining({ kind: 'EndpointSlice', value: 'shop/web' })]) },
  });
});

test('nothing is said of what is not there, and of secrets', () => {
  expect(explainResource(mesh, proxy, { ...cluster, name: 'outbound|80||none' })).toBeUndefined();
  expect(explainResource(mesh, proxy, { ...routes, piece: 'none' })).toBeUndefined();
  const credential = 'kubernetes://credential';
  const gateway = proxyOf('gateway', { type: 'router' });
  const secret = { type: TYPE_URLS.SDS, name: credential };
  expect(explainResource(mesh, gateway, secret)).toBeUndefined();
});
