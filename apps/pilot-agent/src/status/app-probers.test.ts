import { expect, test } from '@jest/globals';
import { parseAppProbers } from './app-probers.ts';

const path = '/app-health/web/livez';

test('probes of all kinds', () => {
  const probers = parseAppProbers(
    JSON.stringify({
      [path]: { httpGet: { path: 'well', port: 8080, scheme: 'HTTPS' }, timeoutSeconds: 3 },
      '/app-health/web/readyz': { tcpSocket: { port: 9090 } },
      '/app-health/web/startupz': { grpc: { port: 7070, service: null }, timeoutSeconds: 1 },
      '/app-lifecycle/web/prestopz': { httpGet: { port: 80 } },
    }),
  );
  expect([...probers.values()]).toEqual([
    { httpGet: { path: '/well', port: 8080, scheme: 'https' }, timeoutMs: 3000 },
    { tcpSocket: { port: 9090 }, timeoutMs: 1000 },
    { grpc: { port: 7070, service: '' }, timeoutMs: 1000 },
    { httpGet: { path: '/', port: 80, scheme: 'http' }, timeoutMs: 1000 },
  ]);
  expect(parseAppProbers('').size).toBe(0);
});

test.each([
  ['{', 'not JSON'],
  ['[]', 'no JSON object'],
  [`{"${path}": null}`, `${path}: it is no JSON object`],
  [`{"/app-health/web/other": {"tcpSocket": {"port": 1}}}`, 'no path of a probe'],
  [`{"/other/web/livez": {"tcpSocket": {"port": 1}}}`, 'no path of a probe'],
  [`{"${path}": {}}`, 'exactly one of httpGet, tcpSocket, grpc'],
  [`{"${path}": {"tcpSocket": {"port": 1}, "grpc": {"port": 1}}}`, 'exactly one of'],
  [`{"${path}": {"tcpSocket": {"port": "http"}}}`, 'the port is no number'],
  [`{"${path}": {"httpGet": {"port": 1, "path": 3}}}`, 'are texts'],
])('%s is refused: %s', (text, message) => {
  expect(() => parseAppProbers(text)).toThrow(message);
});
