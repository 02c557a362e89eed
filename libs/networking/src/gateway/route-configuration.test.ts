import { describe, expect, test } from '@jest/globals';
import { gatewayRouteConfiguration } from './route-configuration.ts';
import { meshOf, serviceManifest, withObjects } from '../testing/mesh.ts';
import { edge, gateway, routes, toWeb, virtualService } from './testing.ts';

const web = serviceManifest('web');
const http = (hosts: string, more = ''): string =>
  `{port: {number: 80, name: http, protocol: HTTP}, hosts: [${hosts}]${more}}`;

/** Domains of each virtual host by its name, with the number of its routes. */
function shape(configuration: ReturnType<typeof routes>): readonly string[] {
  return (configuration.virtualHosts ?? []).map(
    ({ name, domains = [], routes: list = [] }) => `${name} [${domains.join(' ')}] ${list.length}`,
  );
}

describe('hosts', () => {
  test.each([
    ['exact on both sides', 'a.example.com', 'a.example.com', ['a.example.com:80 [a.example.com] 1']],
    ['a wildcard of the server', '"*.example.com"', 'a.example.com', ['a.example.com:80 [a.example.com] 1']],
    ['a wildcard of the VirtualService', 'a.example.com', '"*.example.com"', ['a.example.com:80 [a.example.com] 1']],
    ['a wildcard within another', '"*.example.com"', '"*.a.example.com"', ['*.a.example.com:80 [*.a.example.com] 1']],
    ['everything of a wildcard', '"*.example.com"', '"*"', ['*.example.com:80 [*.example.com] 1']],
    ['a wildcard of everything', '"*"', '"*.example.com"', ['*.example.com:80 [*.example.com] 1']],
    ['not the host that a wildcard is below', '"*.example.com"', 'example.com', ['blackhole:80 [*] 0']],
    ['nothing in common', 'a.example.com', 'b.example.com', ['blackhole:80 [*] 0']],
    ['of another namespace', 'other/a.example.com', 'a.example.com', ['blackhole:80 [*] 0']],
    ['of its namespace', 'shop/a.example.com', 'a.example.com', ['a.example.com:80 [a.example.com] 1']],
    ['written in capitals', 'A.example.com', 'a.EXAMPLE.com', ['a.example.com:80 [a.example.com] 1']],
    [
      'with the same routes are one virtual host',
      '"*"',
      'a.example.com, longer.example.com',
      ['longer.example.com:80 [longer.example.com a.example.com] 1'],
    ],
  ])('%s', (_, servers, hosts, expected) => {
    const push = meshOf(web + gateway('g', [http(servers)]) + virtualService('v', hosts, 'edge/g', toWeb));
    expect(shape(routes(push, 'http.80'))).toEqual(expected);
  });
});

test('several VirtualServices of a host: what lets everything through comes last', () => {
  const specific = 'http: [{match: [{uri: {prefix: /x}}], route: [{destination: {host: web.shop.svc.cluster.local}}]}]';
  const push = meshOf(
    web +
      gateway('g', [http('"*"')]) +
      virtualService('a', 'a.example.com', 'edge/g', toWeb) +
      virtualService('b', 'a.example.com', 'edge/g', specific),
  );
  const [host] = routes(push, 'http.80').virtualHosts ?? [];
  expect(host?.routes?.map(({ match }) => match?.prefix)).toEqual(['/x', '/']);
});

test('redirects to HTTPS hold for hosts without routes too', () => {
  const push = meshOf(gateway('g', [http('edge/a.example.com, b.example.com', ', tls: {httpsRedirect: true}')]));
  const hosts = routes(push, 'http.80').virtualHosts ?? [];
  expect(hosts.map(({ domains, requireTls }) => [domains, requireTls])).toEqual([
    [['a.example.com', 'b.example.com'], 'ALL'],
  ]);
});

test('an invalid route is left out, and the rest served', () => {
  const mixed =
    'http: [{match: [{uri: {regex: "["}}], directResponse: {status: 200}}, {route: [{destination: {host: web.shop.svc.cluster.local}}]}]';
  const push = meshOf(web + gateway('g', [http('"*"')]) + virtualService('v', 'a.example.com', 'edge/g', mixed));
  expect(shape(routes(push, 'http.80'))).toEqual(['a.example.com:80 [a.example.com] 1']);
});

test('a name that no server has is an empty configuration, for listeners that are drained', () => {
  expect(routes(meshOf(''), 'http.80')).toEqual(expect.objectContaining({ name: 'http.80', validateClusters: false }));
});

test('a change of one server makes only routes anew that follow from it', () => {
  const https = (name: string, hosts: string, credential: string): string =>
    `{port: {number: 443, name: ${name}, protocol: HTTPS}, hosts: [${hosts}], tls: {mode: SIMPLE, credentialName: ${credential}}}`;
  const servers = (hosts: string, credential: string): string =>
    gateway('g', [https('one', hosts, credential), https('two', 'b.example.com', 'two')]);
  let push = meshOf(web + servers('a.example.com', 'one') + virtualService('v', '"*"', 'edge/g', toWeb));
  const made = (): number => {
    for (const name of ['one', 'two']) push.evaluate(edge, gatewayRouteConfiguration, `https.443.${name}.g.edge`);
    return push.memo.computeCounts.get('generatedGatewayRoutes') ?? 0;
  };
  const before = made();
  push = withObjects(push, servers('a.example.com', 'other'));
  expect(made() - before).toBe(0);
  push = withObjects(push, servers('other.example.com', 'other'));
  expect(made() - before).toBe(1);
});

test('a change of one VirtualService makes one virtual host anew', () => {
  const one = (name: string, rest: string): string => virtualService(name, `${name}.example.com`, 'edge/g', rest);
  const push = meshOf(web + gateway('g', [http('"*"')]) + one('a', toWeb) + one('b', toWeb) + one('c', toWeb));
  push.evaluate(edge, gatewayRouteConfiguration, 'http.80');
  const made = (): number => push.memo.computeCounts.get('gatewayVirtualHost') ?? 0;
  const before = made();
  const next = withObjects(push, one('b', 'http: [{directResponse: {status: 204}}]'));
  next.evaluate(edge, gatewayRouteConfiguration, 'http.80');
  expect(made()).toBe(before + 1);
});
