import { describe, expect, test } from '@jest/globals';
import type { PushContext } from '@kedge/pushcontext';
import { meshOf, proxyOf, serviceManifest, withObjects } from '../testing/mesh.ts';
import { hostsAt, routesAt, virtualServiceManifest } from '../testing/routes.ts';
import { sidecarRouteConfiguration, sidecarRouteDiagnostics } from './sidecar-route-configuration.ts';

const to = (host: string, name = 'rule'): string => `http: [{name: ${name}, route: [{destination: {host: ${host}}}]}]`;
const WEB = 'web.shop.svc.cluster.local';

function serviceEntry(name: string, spec: string, { namespace = 'shop', hour = 0 } = {}): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${namespace}, creationTimestamp: "2024-01-01T0${hour}:00:00Z"}
spec: {${spec}}
---`;
}

function sidecar(spec: string): string {
  return `
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: default, namespace: shop}
spec: {${spec}}
---`;
}

const HTTP_80 = 'ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS';

/** Virtual hosts with the name of their first route. */
const firstRoutes = (push: PushContext, name: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(hostsAt(push, name)).map(([host, { routes }]) => [host, routes?.[0]?.name]));

describe('names', () => {
  const push = meshOf(serviceManifest('web') + serviceManifest('raw', { portName: 'raw', port: 9000 }));

  test('a port: its services, and what becomes of all others', () => {
    expect(routesAt(push, '80')).toMatchObject({
      name: '80',
      validateClusters: false,
      ignorePortInHostMatching: true,
      maxDirectResponseBodySizeBytes: 1_048_576,
    });
    expect(Object.keys(hostsAt(push, '80'))).toEqual([`${WEB}:80`, 'allow_any']);
  });

  test('a port that UDP and TCP share: by what TCP speaks, whichever comes first', () => {
    const shared = meshOf(`
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  clusterIP: 10.96.0.1
  ports: [{name: quic, port: 80, protocol: UDP}, {name: http, port: 80, protocol: TCP}]`);
    expect(Object.keys(hostsAt(shared, '80'))).toEqual([`${WEB}:80`, 'allow_any']);
  });

  test('a host and port: that service alone, whatever the request says', () => {
    const hosts = hostsAt(push, 'raw.shop.svc.cluster.local:9000');
    expect(Object.keys(hosts)).toEqual(['raw.shop.svc.cluster.local:9000']);
    expect(hosts['raw.shop.svc.cluster.local:9000']?.domains).toEqual(['*']);
  });

  test('an HTTP proxy: all ports, named by the client except for 80', () => {
    const hosts = hostsAt(push, 'http_proxy');
    expect(Object.keys(hosts)).toEqual(['raw.shop.svc.cluster.local:9000', `${WEB}:80`, 'allow_any']);
    expect(hosts[`${WEB}:80`]?.domains).toEqual(expect.arrayContaining([WEB, `${WEB}:80`]));
    expect(hosts['raw.shop.svc.cluster.local:9000']?.domains).not.toContain('raw');
    expect(hosts['raw.shop.svc.cluster.local:9000']?.domains).toContain('raw:9000');
  });

  test('one that means nothing: an empty configuration', () => {
    expect(routesAt(push, 'what')).toEqual({
      '@type': 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
      name: 'what',
      validateClusters: false,
    });
  });
});

describe('unknown hosts', () => {
  test.each([
    ['REGISTRY_ONLY', '', 'block_all', { directResponse: { status: 502 } }],
    ['ALLOW_ANY', '', 'allow_any', { route: { cluster: 'PassthroughCluster', timeout: '0s' } }],
    ['ALLOW_ANY', ', egressProxy: {host: out.shop.svc.cluster.local, port: {number: 3128}}', 'allow_any', { route: { cluster: 'outbound|3128||out.shop.svc.cluster.local' } }], // prettier-ignore
  ])('%s%s', (mode, proxy, name, route) => {
    const push = meshOf(serviceManifest('web') + sidecar(`outboundTrafficPolicy: {mode: ${mode}${proxy}}`));
    expect(hostsAt(push, '80')[name]).toMatchObject({ domains: ['*'], routes: [{ name, ...route }] });
  });

  test('by name through a forward proxy', () => {
    const push = meshOf('', { mesh: 'outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS}' });
    expect(hostsAt(push, '80')).toHaveProperty('allow_any_dynamic_dns');
  });
});

describe('which VirtualService', () => {
  test('the oldest of those for a host; the other is told of', () => {
    const push = meshOf(
      serviceManifest('web') +
        virtualServiceManifest('a-young', `hosts: [web], ${to('web', 'young')}`, { hour: 2 }) +
        virtualServiceManifest('z-old', `hosts: [web], ${to('web', 'old')}`, { hour: 1 }),
    );
    expect(firstRoutes(push, '80')).toMatchObject({ [`${WEB}:80`]: 'old' });
    expect(push.evaluate(proxyOf('client'), sidecarRouteDiagnostics, '80')).toMatchObject([
      { name: 'a-young', code: 'duplicate-host' },
    ]);
  });

  test('one that names a host in several ways does not stand in its own way', () => {
    const push = meshOf(
      serviceManifest('web') +
        virtualServiceManifest('web', `hosts: [web, ${WEB}, "*.shop.svc.cluster.local"], ${to('web')}`),
    );
    expect(firstRoutes(push, '80')).toMatchObject({ [`${WEB}:80`]: 'rule' });
    expect(push.evaluate(proxyOf('client'), sidecarRouteDiagnostics, '80')).toEqual([]);
  });

  test('private ones before exported ones before public ones', () => {
    const options = (hour: number) => ({ hour, namespace: 'shop' });
    const push = meshOf(
      serviceManifest('web') +
        virtualServiceManifest('public', `hosts: [web], ${to('web', 'public')}`, options(0)) +
        virtualServiceManifest('exported', `hosts: [${WEB}], exportTo: [shop], ${to(WEB, 'exported')}`, {
          hour: 1,
          namespace: 'bank',
        }) + // prettier-ignore
        virtualServiceManifest('private', `hosts: [web], exportTo: ["."], ${to('web', 'private')}`, options(2)),
    );
    expect(firstRoutes(push, '80')).toMatchObject({ [`${WEB}:80`]: 'private' });
  });

  test('the most specific of wildcards', () => {
    const push = meshOf(
      serviceManifest('web') +
        serviceManifest('cart') +
        serviceManifest('bank', { namespace: 'bank' }) +
        virtualServiceManifest('wide', `hosts: ["*.cluster.local"], ${to('web', 'wide')}`) +
        virtualServiceManifest('narrow', `hosts: ["*.shop.svc.cluster.local"], ${to('web', 'narrow')}`, { hour: 1 }) +
        virtualServiceManifest('exact', `hosts: [cart], ${to('web', 'exact')}`, { hour: 2 }),
    );
    expect(firstRoutes(push, '80')).toEqual({
      'bank.bank.svc.cluster.local:80': 'wide',
      'cart.shop.svc.cluster.local:80': 'exact',
      [`${WEB}:80`]: 'narrow',
      allow_any: 'allow_any',
    });
  });

  test('a host that is no service has a place on port 80, and beside services of its VirtualService elsewhere', () => {
    const push = meshOf(
      serviceManifest('web') +
        serviceManifest('api', { port: 8080 }) +
        virtualServiceManifest('alone', `hosts: [promo.example.com], ${to('web', 'alone')}`) +
        virtualServiceManifest('beside', `hosts: [API, More.example.com], ${to('api', 'beside')}`),
    );
    expect(firstRoutes(push, '80')).toMatchObject({ 'promo.example.com:80': 'alone' });
    expect(firstRoutes(push, '8080')).toEqual({
      'api.shop.svc.cluster.local:8080': 'beside',
      'more.example.com:8080': 'beside',
      allow_any: 'allow_any',
    });
  });
});

describe('domains', () => {
  test('each belongs to one virtual host, and a name goes before what is short for another', () => {
    const push = meshOf(
      serviceManifest('web') +
        serviceEntry('plain', `hosts: [web.shop.svc], ${HTTP_80}`) +
        serviceEntry('other', `hosts: [other.example.com], addresses: [10.96.0.1], ${HTTP_80}`),
    );
    const hosts = hostsAt(push, '80');
    const all = Object.values(hosts).flatMap(({ domains = [] }) => domains);
    expect(new Set(all).size).toBe(all.length);
    expect(hosts['web.shop.svc:80']?.domains).toContain('web.shop.svc');
    expect(hosts[`${WEB}:80`]?.domains).not.toContain('web.shop.svc');
  });

  test('an ExternalName service is a name of the one it leads to', () => {
    const alias = `
apiVersion: v1
kind: Service
metadata: {name: old, namespace: shop}
spec: {type: ExternalName, externalName: ${WEB}, ports: [{name: http, port: 80}]}
---`;
    const push = meshOf(
      serviceManifest('web') + alias + virtualServiceManifest('x', `hosts: [x.example], ${to('old')}`),
    );
    const hosts = hostsAt(push, '80');
    expect(Object.keys(hosts)).toEqual([`${WEB}:80`, 'x.example:80', 'allow_any']);
    expect(hosts[`${WEB}:80`]?.domains).toEqual(expect.arrayContaining(['old', 'old.shop.svc.cluster.local']));
    expect(hosts['x.example:80']?.routes?.[0]?.route?.cluster).toBe(`outbound|80||${WEB}`);
  });
});

describe('Sidecars', () => {
  test('an egress listener serves the hosts that it imports', () => {
    const push = meshOf(
      serviceManifest('web') +
        serviceManifest('cart') +
        sidecar(`egress: [{port: {number: 80, protocol: HTTP, name: h}, hosts: ["./web.shop.svc.cluster.local"]}, {hosts: ["*/*"]}]`), // prettier-ignore
    );
    expect(Object.keys(hostsAt(push, '80'))).toEqual([`${WEB}:80`, 'allow_any']);
  });

  test('an egress listener for an HTTP proxy serves all ports', () => {
    const push = meshOf(
      serviceManifest('web') +
        serviceManifest('api', { port: 8080 }) +
        sidecar(`egress: [{port: {number: 3128, protocol: HTTP_PROXY, name: p}, hosts: ["*/*"]}]`),
    );
    expect(Object.keys(hostsAt(push, '3128'))).toEqual(['api.shop.svc.cluster.local:8080', `${WEB}:80`, 'allow_any']);
  });

  test('an egress listener on a Unix socket goes by its path', () => {
    const push = meshOf(
      serviceManifest('web') +
        sidecar(`egress: [{port: {number: 0, protocol: HTTP, name: u}, bind: "unix:///run/x.sock", hosts: ["*/*"]}]`),
    );
    expect(Object.keys(hostsAt(push, 'unix:///run/x.sock'))).toEqual([`${WEB}:80`, 'allow_any']);
    expect(Object.keys(hostsAt(push, 'unix:///run/y.sock'))).toEqual(['allow_any']);
  });
});

describe('what a change costs', () => {
  const service = (at: number, options = {}): string =>
    serviceManifest(`s${at}`, options).replace('10.96.0.1', `10.96.1.${at}`);
  const many = Array.from({ length: 20 }, (_, at) => service(at)).join('');
  const rule = (path: string): string =>
    virtualServiceManifest(
      's3',
      `hosts: [s3], http: [{match: [{uri: {prefix: ${path}}}], route: [{destination: {host: s3}}]}]`,
    );
  const clients = [proxyOf('a'), proxyOf('b', { address: '10.0.0.9' })];

  /** How often queries are computed for both clients after a change. */
  function costOf(push: PushContext, change: string): Readonly<Record<string, number>> {
    const ask = (of: PushContext): unknown =>
      clients.map((client) => of.evaluate(client, sidecarRouteConfiguration, '80'));
    ask(push);
    const before = new Map(push.memo.computeCounts);
    ask(withObjects(push, change));
    return Object.fromEntries(
      [...push.memo.computeCounts].map(([name, count]) => [name, count - (before.get(name) ?? 0)]),
    );
  }

  test('of routes: the virtual host and what holds it, once for all', () => {
    const cost = costOf(meshOf(many + rule('/a')), rule('/b'));
    expect(cost).toMatchObject({
      sidecarRoutes: 1,
      virtualHost: 1,
      generatedSidecarRoutes: 1,
      listenerPlan: 0,
      egressListeners: 0,
    });
  });

  test('of hosts: the plan too', () => {
    expect(costOf(meshOf(many), rule('/b'))).toMatchObject({
      virtualHost: 1,
      listenerPlan: 1,
      generatedSidecarRoutes: 1,
    });
  });

  test('of endpoints: nothing', () => {
    const push = meshOf(many);
    expect(costOf(push, service(3, { address: '10.0.1.7' }))).toMatchObject({
      virtualHost: 0,
      listenerPlan: 0,
    });
  });
});

test('clients of other namespaces share the virtual hosts that they call by the same names', () => {
  const push = meshOf(serviceManifest('web') + virtualServiceManifest('web', `hosts: [web], ${to('web')}`));
  for (const namespace of ['bank', 'farm', 'lab']) {
    push.evaluate(proxyOf('client', { namespace }), sidecarRouteConfiguration, '80');
  }
  // One for the service, one for all others.
  expect(push.memo.computeCounts.get('virtualHost')).toBe(2);
  expect(push.memo.computeCounts.get('virtualHostCandidates')).toBe(1);
});
