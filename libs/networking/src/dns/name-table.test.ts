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

function tableOf(push: PushContext): Readonly<Record<string, unknown>> {
  const message = messagesOf(push.evaluate(proxyOf('client'), nameTable))[''];
  return (message as unknown as { readonly table: Readonly<Record<string, unknown>> }).table;
}

test('services of Kubernetes tell their short names too', () => {
  expect(tableOf(meshOf(serviceManifest('web')))).toEqual({
    'web.shop.svc.cluster.local': { ips: ['10.96.0.1'], registry: 'Kubernetes', shortname: 'web', namespace: 'shop' },
  });
});

test('hosts of entries have all addresses that are stated, of whatever family, but no ranges', () => {
  const table = tableOf(meshOf(entry('many', '10.20.0.1, 10.20.0.2, 10.21.0.0/24') + entry('six', '"2001:db8::9"')));
  expect(table).toEqual({
    'many.example.com': { ips: ['10.20.0.1', '10.20.0.2'], registry: 'External' },
    'six.example.com': { ips: ['2001:db8::9'], registry: 'External' },
  });
});
