import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { meshOf, serviceManifest, withObjects } from '../testing/mesh.ts';
import { gatewayListeners } from './listeners.ts';
import { gatewayRouteConfiguration } from './route-configuration.ts';
import { chainsOf, edge, findings, gateway, gatewayProxy, listeners, toWeb, virtualService } from './testing.ts';

const web = serviceManifest('web');
const http = (port: number, hosts = '"*"', more = ''): string =>
  `{port: {number: ${port}, name: http-${port}, protocol: HTTP}, hosts: [${hosts}]${more}}`;
const https = (name: string, hosts: string, more = ''): string =>
  `{port: {number: 443, name: ${name}, protocol: HTTPS}, hosts: [${hosts}], tls: {mode: SIMPLE, credentialName: ${name}}${more}}`;
const passthrough = (hosts: string): string =>
  `{port: {number: 443, name: tls, protocol: TLS}, hosts: [${hosts}], tls: {mode: PASSTHROUGH}}`;

describe('servers on one port', () => {
  test('HTTP servers of several Gateways are one chain', () => {
    const push = meshOf(gateway('a', [http(80, 'a.example.com')]) + gateway('b', [http(80, 'b.example.com')]));
    expect(chainsOf(listeners(push)['0.0.0.0_80'])).toEqual({ '*': 'http.80' });
    expect(findings(push)).toEqual([]);
  });

  test('a host that an older Gateway has is left out of the younger, which keeps its others', () => {
    const push = meshOf(
      gateway('a', [https('a', 'dup.example.com')]) + gateway('b', [https('b', 'DUP.example.com, own.example.com')]),
    );
    expect(chainsOf(listeners(push)['0.0.0.0_443'])).toEqual({
      'dup.example.com': 'https.443.a.a.edge',
      'own.example.com': 'https.443.b.b.edge',
    });
    expect(findings(push)).toEqual(['duplicate-host edge/b spec.servers[0].hosts']);
  });

  test('plain TCP and HTTP cannot share a port, but ports of different addresses are not one', () => {
    const tcp = (more: string): string => `{port: {number: 80, name: tcp, protocol: TCP}, hosts: ["*"]${more}}`;
    const route = virtualService(
      'tcp',
      '"*"',
      'edge/b',
      'tcp: [{route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 80}}}]}]',
    );
    const push = meshOf(web + gateway('a', [http(80)]) + gateway('b', [tcp(''), tcp(', bind: 127.0.0.1')]) + route);
    expect(chainsOf(listeners(push)['0.0.0.0_80'])).toEqual({ '*': 'http.80' });
    expect(chainsOf(listeners(push)['127.0.0.1_80'])).toEqual({ '*': 'outbound|80||web.shop.svc.cluster.local' });
    expect(findings(push)).toEqual(['port-conflict edge/b spec.servers[0]']);
  });

  test('a name that a route for passthrough shares with a server that ends TLS stays with the server', () => {
    const route = virtualService(
      'pass',
      '"*.example.com"',
      'edge/b',
      'tls: [{match: [{sniHosts: [a.example.com, b.example.com, B.example.com]}], route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 80}}}]}]',
    );
    const push = meshOf(
      web + gateway('a', [https('a', 'a.example.com')]) + gateway('b', [passthrough('"*.example.com"')]) + route,
    );
    expect(chainsOf(listeners(push)['0.0.0.0_443'])).toEqual({
      'a.example.com': 'https.443.a.a.edge',
      'b.example.com': 'outbound|80||web.shop.svc.cluster.local',
    });
    expect(findings(push)).toEqual(['overlapping-chains shop/pass spec.tls[0].match[0]']);
  });
});

test('TLS that is passed on is looked into, though any name will do; plain connections are not', () => {
  const route = virtualService(
    'any',
    '"*"',
    'edge/a',
    'tls: [{match: [{sniHosts: ["*"]}], route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 80}}}]}]',
  );
  const found = listeners(meshOf(web + gateway('a', [passthrough('"*"'), http(80)]) + route));
  expect(chainsOf(found['0.0.0.0_443'])).toEqual({ '*': 'outbound|80||web.shop.svc.cluster.local' });
  expect(found['0.0.0.0_443']?.listenerFilters).toMatchObject([{ name: 'envoy.filters.listener.tls_inspector' }]);
  expect(found['0.0.0.0_80']).not.toHaveProperty('listenerFilters');
});

describe('where a server listens', () => {
  const service = `
apiVersion: v1
kind: Service
metadata: {name: edge, namespace: edge}
spec:
  clusterIP: 10.96.0.9
  selector: {app: edge}
  ports: [{name: http, port: 80, targetPort: 8080, protocol: TCP}, {name: quic, port: 443, targetPort: 8443, protocol: UDP}, {name: https, port: 443, targetPort: 8443, protocol: TCP}]
---
apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: edge, labels: {app: edge}}
spec: {containers: [{name: proxy}]}
status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}], conditions: [{type: Ready, status: "True"}]}
---`;

  test('on the port that the service of the gateway leads to', () => {
    const push = meshOf(service + gateway('a', [http(80), http(81)]));
    expect(Object.keys(listeners(push))).toEqual(['0.0.0.0_8080', '0.0.0.0_81']);
  });

  test('unprivileged pods do without low ports', () => {
    const push = meshOf(gateway('a', [http(80), http(8080)]));
    const proxy = gatewayProxy({ metadata: { UNPRIVILEGED_POD: 'true' } });
    expect(Object.keys(listeners(push, proxy))).toEqual(['0.0.0.0_8080']);
    expect(findings(push, proxy)).toEqual(['privileged-port edge/a spec.servers[0].port']);
  });

  test('and on UDP besides, where HTTP/3 is on and the service has the port', () => {
    const push = meshOf(service + gateway('a', [https('a', 'a.example.com')]), {
      environment: { PILOT_ENABLE_QUIC_LISTENERS: 'true' },
    });
    const found = listeners(push);
    expect(Object.keys(found)).toEqual(['0.0.0.0_8443', 'udp_0.0.0.0_8443']);
    expect(found['udp_0.0.0.0_8443']?.filterChains?.[0]?.transportSocket?.name).toBe('envoy.transport_sockets.quic');
  });
});

describe('which Gateways count', () => {
  test('those that select the workload, of any namespace', () => {
    const others = gateway('b', [http(81)], 'shop') + gateway('c', [http(82)]).replace('app: edge', 'app: other');
    const push = meshOf(gateway('a', [http(80)]) + others);
    expect(Object.keys(listeners(push))).toEqual(['0.0.0.0_80', '0.0.0.0_81']);
  });

  test('only of the own namespace, by PILOT_SCOPE_GATEWAY_TO_NAMESPACE', () => {
    const environment = { PILOT_SCOPE_GATEWAY_TO_NAMESPACE: 'true' };
    const push = meshOf(gateway('a', [http(80)]) + gateway('b', [http(81)], 'shop'), { environment });
    expect(Object.keys(listeners(push))).toEqual(['0.0.0.0_80']);
  });
});

test('a route that changes makes no listener anew, a Gateway of others nothing at all', () => {
  const push = meshOf(web + gateway('a', [http(80)]) + virtualService('v', '"*"', 'edge/a', toWeb));
  const before = push.evaluate(edge, gatewayListeners);
  const routesBefore = push.evaluate(edge, gatewayRouteConfiguration, 'http.80');
  const routed = withObjects(push, virtualService('v', '"*"', 'edge/a', 'http: [{directResponse: {status: 204}}]'));
  expect(routed.evaluate(edge, gatewayListeners)).toBe(before);
  const routesAfter = routed.evaluate(edge, gatewayRouteConfiguration, 'http.80');
  expect(routesAfter?.version).not.toBe(routesBefore?.version);
  const other = withObjects(routed, gateway('c', [http(82)]).replace('app: edge', 'app: other'));
  expect(other.evaluate(edge, gatewayListeners)[0]).toBe(before[0]);
  expect(other.evaluate(edge, gatewayRouteConfiguration, 'http.80')).toBe(routesAfter);
});

/* Few names and hosts, so that objects collide. */
const host = fc.constantFrom(
  'a.example.com',
  'b.example.com',
  '"*.example.com"',
  './a.example.com',
  'shop/b.example.com',
);
const hosts = fc.uniqueArray(host, { minLength: 1, maxLength: 3 }).map((list) => list.join(', '));
const server = fc.oneof(
  fc.tuple(fc.constantFrom(80, 443), hosts).map(([port, names]) => http(port, names)),
  hosts.map((names) => http(80, names, ', tls: {httpsRedirect: true}')),
  fc.tuple(fc.constantFrom('s', 't'), hosts).map(([name, names]) => https(name, names)),
  hosts.map(passthrough),
);
const gateways = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('a', 'b', 'c'), servers: fc.array(server, { minLength: 1, maxLength: 3 }) }),
  { selector: ({ name }) => name, minLength: 1 },
);
const services = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('v', 'w'), to: fc.constantFrom('edge/a', 'edge/b', 'edge/a, edge/c'), hosts }),
  { selector: ({ name }) => name },
);

test('the order of objects plays no part, and no two chains of a listener take the same SNI', () => {
  fc.assert(
    fc.property(gateways, services, fc.infiniteStream(fc.nat()), (gatewayList, serviceList, keys) => {
      const objects = [
        ...gatewayList.map((one) => gateway(one.name, one.servers)),
        ...serviceList.map((one) => virtualService(one.name, one.hosts.replaceAll(/(\.|shop)\//g, ''), one.to, toWeb)),
      ];
      const shuffled = objects
        .map((object) => ({ object, key: keys.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ object }) => object);
      const push = meshOf(objects.join(''));
      const other = shuffled.reduce((context, object) => withObjects(context, object), meshOf(''));
      expect(listeners(other)).toEqual(listeners(push));
      expect(findings(other)).toEqual(findings(push));
      for (const listener of Object.values(listeners(push))) {
        const names = (listener.filterChains ?? []).flatMap((chain) => chain.filterChainMatch?.serverNames ?? ['']);
        expect(new Set(names).size).toBe(names.length);
        for (const name of Object.values(chainsOf(listener)).filter((target) => target.startsWith('http'))) {
          const version = push.evaluate(edge, gatewayRouteConfiguration, name)?.version;
          expect(other.evaluate(edge, gatewayRouteConfiguration, name)?.version).toBe(version);
        }
      }
    }),
    { numRuns: 100 },
  );
});
