import { expect, test } from '@jest/globals';
import { parseProxy } from './proxy.ts';

const id = (address: string): string => `sidecar~${address}~web.shop~shop.svc.cluster.local`;

test.each([
  [{ id: id('10.0.0.1') }, ['10.0.0.1']],
  [{ id: id('fd00::1') }, ['fd00::1']],
  [{ id: id('10.0.0.1'), metadata: { INSTANCE_IPS: '10.0.0.2,fd00::2' } }, ['10.0.0.2', 'fd00::2']],
  [{ id: id(''), metadata: { INSTANCE_IPS: '10.0.0.2' } }, ['10.0.0.2']],
  [{ id: id('10.0.0.1'), metadata: { INSTANCE_IPS: '10.0.0.2,nonsense' } }, ['10.0.0.1']],
])('the addresses of %j', (node, ipAddresses) => {
  expect(parseProxy(node)).toMatchObject({ proxy: { ipAddresses, id: 'web.shop', configNamespace: 'shop' } });
});

test.each([
  [{}, 'is not of the form type~address~id~domain'],
  [{ id: 'sidecar~10.0.0.1~web.shop' }, 'is not of the form type~address~id~domain'],
  [{ id: 'car~10.0.0.1~web.shop~x' }, 'has the unknown node type "car"'],
  [{ id: id('') }, 'has no IP address'],
  [{ id: id('nonsense') }, 'has no IP address'],
])('%j is refused', (node, problem) => {
  expect(parseProxy(node)).toEqual({ problem: expect.stringContaining(problem) });
});
