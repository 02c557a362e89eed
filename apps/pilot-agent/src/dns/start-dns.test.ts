import { expect, test } from '@jest/globals';
import { readEnvironment } from '../environment.ts';
import { servesDns } from './serves-dns.ts';
import { listenAddresses } from './start-dns.ts';

test.each([
  ['localhost:15053', ['10.0.0.1'], ['127.0.0.1']],
  ['localhost:15053', ['fd00::1'], ['::1']],
  ['localhost:15053', ['10.0.0.1', 'fd00::1'], ['127.0.0.1', '::1']],
  ['localhost:15053', [], ['127.0.0.1']],
  ['10.1.1.1:15053', [], ['10.1.1.1']],
  ['[fd00::5]:15053', [], ['fd00::5']],
  [':15053', [], ['::']],
])('%s with name servers %j listens on %j', (address, servers, hosts) => {
  const expected = hosts.map((host) => ({ host, port: 15053 }));
  expect(listenAddresses(address, { servers, search: [] })).toEqual(expected);
});

test.each(['localhost', 'fd00::5:53:', 'localhost:99999'])('%s is no address to listen on', (address) => {
  expect(() => listenAddresses(address, { servers: [], search: [] })).toThrow('host:port');
});

test.each([
  [{}, true, false],
  [{ ISTIO_META_DNS_CAPTURE: 'true' }, true, true],
  [{ ISTIO_META_DNS_CAPTURE: 'true' }, false, false],
  [{ ISTIO_META_ENABLE_DNS_SERVER: 'true' }, false, true],
])('%j of a sidecar (%s) serves: %s', (variables, isSidecar, expected) => {
  expect(servesDns(readEnvironment(variables).environment, isSidecar)).toBe(expected);
});
