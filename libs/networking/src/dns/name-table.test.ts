import { expect, test } from '@jest/globals';
import { type PushContext } from '@kedge/pushcontext';
import { meshOf, messagesOf, proxyOf, serviceManifest } from '../testing/mesh.ts';
import { nameTable } from './name-table.ts';

const entry = (name: string, addresses: string): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.example.com]
  addresses: [${addresses}]
  ports: [{number: 9000, name: tcp, protocol: TCP}]
  resolution: STATIC
  endpoints: [{address: 10.9.0.1}]
---`;

function tableOf(push: PushContext, address?: string): Readonly<Record<string, unknown>> {
  const client = proxyOf('client', address === undefined ? {} : { address });
  const message = messagesOf(push.evaluate(client, nameTable))[''];
  return (message as unknown as { readonly table: Readonly<Record<string, unknown>> }).table;
}

test('services of Kubernetes tell their short names too', () => {
  expect(tableOf(meshOf(serviceManifest('web')))).toEqual({
    'web.shop.svc.cluster.local': { ips: ['10.96.0.1'], registry: 'Kubernetes', shortname: 'web', namespace: 'shop' },
  });
});

test('headless services are names of their endpoints, for proxies with IPv4', () => {
  const push = meshOf(`${entry('ext', '10.20.0.1')}
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {clusterIP: None, ports: [{name: tcp, port: 9000, protocol: TCP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: db-1, namespace: shop, labels: {kubernetes.io/service-name: db}}
addressType: IPv4
ports: [{name: tcp, port: 9000, protocol: TCP}]
endpoints: [{addresses: [10.0.1.1], conditions: {ready: true}}, {addresses: [10.0.1.2], conditions: {ready: false}}]`);
  expect(tableOf(push)).toMatchObject({ 'db.shop.svc.cluster.local': { ips: ['10.0.1.1'] } });
  expect(tableOf(push, '2001:db8::1')).toEqual({ 'ext.example.com': { ips: ['10.20.0.1'], registry: 'External' } });
});

test('hosts of entries have all addresses that are stated, of whatever family, but no ranges', () => {
  const table = tableOf(meshOf(entry('many', '10.20.0.1, 10.20.0.2, 10.21.0.0/24') + entry('six', '"2001:db8::9"')));
  expect(table).toEqual({
    'many.example.com': { ips: ['10.20.0.1', '10.20.0.2'], registry: 'External' },
    'six.example.com': { ips: ['2001:db8::9'], registry: 'External' },
  });
});
