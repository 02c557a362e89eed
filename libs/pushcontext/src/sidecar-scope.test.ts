import { describe, expect, test } from '@jest/globals';
import { setObject } from '@kedge/config';
import { defaultMeshConfig, parseConfigFile, parseFeatures, parseProxy, type Proxy } from '@kedge/model';
import { standardRegistries } from '@kedge/registry';
import { setMeshSettings } from './mesh-settings.ts';
import { PushContext } from './push-context.ts';
import { scopeServices } from './scope-services.ts';
import { sidecarOf } from './sidecar.ts';
import { egressListeners } from './sidecar-scope.ts';

function meshOf(...manifests: readonly string[]): PushContext {
  return withObjects(
    PushContext.empty().next((edit) =>
      setMeshSettings(edit, {
        mesh: defaultMeshConfig,
        networks: { networks: {} },
        features: parseFeatures().features,
        environment: { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' },
        registries: standardRegistries('Kubernetes'),
      }),
    ),
    ...manifests,
  );
}

function withObjects(push: PushContext, ...manifests: readonly string[]): PushContext {
  return push.next((edit) => {
    for (const { config, diagnostics } of parseConfigFile(manifests.join('\n---\n'), 'test.yaml')) {
      if (!config) throw new Error(JSON.stringify(diagnostics));
      setObject(edit, config, config);
    }
  });
}

/** Objects as `{apiVersion, kind, metadata, spec}` in YAML's flow style; `hour` makes some older than others. */
const istio = (kind: string, key: string, spec: string, hour = 0): string => {
  const [namespace, name] = key.split('/');
  const created = `creationTimestamp: "2024-01-01T0${hour}:00:00Z"`;
  return `{apiVersion: networking.istio.io/v1, kind: ${kind}, metadata: {name: ${name}, namespace: ${namespace}, ${created}}, spec: {${spec}}}`;
};
const kubernetes = (key: string, ports = [80]): string => {
  const [namespace, name] = key.split('/');
  const listed = ports.map((port) => `{name: http-${port}, port: ${port}}`).join(', ');
  return `{apiVersion: v1, kind: Service, metadata: {name: ${name}, namespace: ${namespace}}, spec: {clusterIP: 10.96.0.1, ports: [${listed}]}}`;
};
const entry = (key: string, host: string, rest = '', hour = 0): string =>
  istio(
    'ServiceEntry',
    key,
    `hosts: [${host}], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS${rest}`,
    hour,
  );
const route = (key: string, host: string, destination: string, rest = ''): string =>
  istio('VirtualService', key, `hosts: [${host}], http: [{${rest}route: [{destination: {${destination}}}]}]`);
const egress = (...listeners: readonly string[]): string =>
  istio('Sidecar', 'shop/default', `egress: [${listeners.map((listener) => `{${listener}}`).join(', ')}]`);

function proxyOf(namespace: string, type = 'sidecar'): Proxy {
  const parsed = parseProxy({
    id: `${type}~10.0.0.1~client.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { NAMESPACE: namespace, CLUSTER_ID: 'Kubernetes', LABELS: { app: 'client' } },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

/** The services that a proxy sees, as `namespace/host:ports`. */
const seen = (push: PushContext, proxy = proxyOf('shop')): readonly string[] =>
  push
    .evaluate(proxy, scopeServices)
    .map(({ namespace, hostname, ports }) => `${namespace}/${hostname}:${ports.map(({ port }) => port).join('+')}`)
    .sort();

const WEB = 'web.shop.svc.cluster.local';

describe('which Sidecar', () => {
  const push = meshOf(
    istio('Sidecar', 'shop/plain', 'egress: [{hosts: ["~/*"]}]'),
    istio('Sidecar', 'shop/chosen', 'workloadSelector: {labels: {app: client}}, egress: [{hosts: ["./*"]}]', 2),
    istio('Sidecar', 'shop/younger', 'workloadSelector: {labels: {app: client}}, egress: [{hosts: ["*/*"]}]', 3),
    istio('Sidecar', 'istio-system/root', 'egress: [{hosts: ["*/*"]}]'),
    istio('Sidecar', 'istio-system/never', 'workloadSelector: {labels: {app: client}}, egress: [{hosts: ["*/*"]}]'),
  );
  const nameOf = (proxy: Proxy): string | undefined => push.evaluate(proxy, sidecarOf)?.name;

  test('the oldest that selects the workload, else one for all, else the root namespace', () => {
    expect(nameOf(proxyOf('shop'))).toBe('chosen');
    expect(nameOf(proxyOf('bank'))).toBe('root');
  });

  test('none for gateways and waypoints', () => {
    expect(nameOf(proxyOf('shop', 'router'))).toBeUndefined();
    expect(nameOf(proxyOf('shop', 'waypoint'))).toBeUndefined();
  });
});

describe('services', () => {
  test('all that are exported, without a Sidecar', () => {
    const push = meshOf(
      kubernetes('shop/web'),
      entry('bank/private', 'private.example', ', exportTo: ["."]'),
      entry('bank/public', 'public.example'),
    );
    expect(seen(push)).toEqual(['bank/public.example:80', `shop/${WEB}:80`]);
  });

  test('one namespace for a host: the own, else one of Kubernetes, else the oldest', () => {
    const own = meshOf(entry('bank/e', 'a.example', '', 0), entry('shop/e', 'a.example', '', 1));
    expect(seen(own)).toEqual(['shop/a.example:80']);
    const cluster = meshOf(entry('bank/e', WEB), kubernetes('shop/web'));
    expect(seen(cluster, proxyOf('farm'))).toEqual([`shop/${WEB}:80`]);
    const oldest = meshOf(entry('bank/e', 'a.example', '', 1), entry('farm/e', 'a.example', '', 0));
    expect(seen(oldest)).toEqual(['farm/a.example:80']);
  });

  test('of an egress listener with a port, those that have it', () => {
    const push = meshOf(
      kubernetes('shop/web', [80, 8080]),
      kubernetes('shop/cart', [80]),
      egress('port: {number: 8080, protocol: HTTP, name: h}, hosts: ["./*"]'),
    );
    expect(seen(push)).toEqual([`shop/${WEB}:8080`]);
  });

  test('parts that listeners import come together', () => {
    const push = meshOf(
      kubernetes('shop/web', [80, 8080, 9090]),
      egress(
        'port: {number: 8080, protocol: HTTP, name: a}, hosts: ["./*"]',
        'port: {number: 80, protocol: HTTP, name: b}, hosts: ["./*"]',
      ),
    );
    expect(seen(push)).toEqual([`shop/${WEB}:8080+80`]);
  });

  test('entries for one host: ports of another resolution are a part of their own, others are left out', () => {
    const tls = (key: string, resolution: string, labels: string, hour: number): string =>
      `{apiVersion: networking.istio.io/v1, kind: ServiceEntry, metadata: {name: ${key}, namespace: shop, labels: {${labels}}, creationTimestamp: "2024-01-01T0${hour}:00:00Z"}, spec: {hosts: [a.example], ports: [{number: 443, name: tls, protocol: TLS}], resolution: ${resolution}}}`;
    expect(seen(meshOf(entry('shop/a', 'a.example'), tls('b', 'NONE', '', 1)))).toEqual([
      'shop/a.example:443',
      'shop/a.example:80',
    ]);
    expect(seen(meshOf(entry('shop/a', 'a.example'), tls('b', 'DNS', '', 1)))).toEqual(['shop/a.example:80+443']);
    expect(seen(meshOf(entry('shop/a', 'a.example'), tls('b', 'DNS', 'x: "y"', 1)))).toEqual(['shop/a.example:80']);
  });
});

describe('what VirtualServices lead to', () => {
  const narrow = egress('hosts: ["./*"]');

  test('comes in with the ports that they name', () => {
    const push = meshOf(
      kubernetes('shop/web'),
      kubernetes('bank/pay', [80, 8080]),
      narrow,
      route('shop/web', 'web', 'host: pay.bank.svc.cluster.local, port: {number: 8080}'),
    );
    expect(seen(push)).toEqual(['bank/pay.bank.svc.cluster.local:8080', `shop/${WEB}:80`]);
  });

  test('unless no match of the route is for the namespace', () => {
    const push = meshOf(
      kubernetes('bank/pay'),
      narrow,
      route('shop/web', 'web', 'host: pay.bank.svc.cluster.local', 'match: [{sourceNamespace: farm}], '),
    );
    expect(seen(push)).toEqual([]);
  });

  test('a change of routes that leads nowhere else leaves the scope as it is', () => {
    const push = meshOf(kubernetes('shop/web'), route('shop/web', 'web', 'host: web'));
    const before = push.evaluate(proxyOf('shop'), egressListeners);
    const next = withObjects(push, route('shop/web', 'web', 'host: web', 'timeout: 1s, '));
    expect(next.evaluate(proxyOf('shop'), egressListeners)).toBe(before);
  });
});

test('gateways see all that is exported to their namespace, whoever came first', () => {
  const push = meshOf(
    entry('bank/e', 'a.example', '', 0),
    entry('shop/e', 'a.example', '', 1),
    egress('hosts: ["~/*"]'),
  );
  expect(seen(push, proxyOf('shop', 'router'))).toEqual(['bank/a.example:80']);
});
