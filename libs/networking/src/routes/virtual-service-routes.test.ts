import { describe, expect, test } from '@jest/globals';
import type { Route, RouteAction, RouteMatch } from '@kedge/envoy-api';
import type { PushContext } from '@kedge/pushcontext';
import { meshOf, type MeshOptions, proxyOf, serviceManifest } from '../testing/mesh.ts';
import { hostsAt, onlyRoute, virtualServiceManifest } from '../testing/routes.ts';
import { sidecarRouteDiagnostics } from './sidecar-route-configuration.ts';

const WEB = 'route: [{destination: {host: web}}]';
const services = serviceManifest('web') + serviceManifest('cart');

const meshWith = (http: string, options?: MeshOptions): PushContext =>
  meshOf(services + virtualServiceManifest('web', `hosts: [web], http: [${http}]`), options);
const routeOf = (rule: string, options?: MeshOptions): Route => onlyRoute(meshWith(`{${rule}}`, options));
const actionOf = (rule: string, options?: MeshOptions): RouteAction => routeOf(rule, options).route ?? {};
const matchOf = (match: string): RouteMatch => routeOf(`match: [{${match}}], ${WEB}`).match ?? {};

/** Whether requests reach `web` by the rule, or only by the route that it has without one. */
const namesOf = (push: PushContext, proxy = proxyOf('client')): readonly string[] =>
  (hostsAt(push, '80', proxy)['web.shop.svc.cluster.local:80']?.routes ?? []).map(({ name }) => name ?? '');

describe('matches', () => {
  const rows: readonly (readonly [field: string, match: string, made: RouteMatch])[] = [
    ['an exact path', 'uri: {exact: /a}', { path: '/a', caseSensitive: true }],
    ['a prefix without case', 'uri: {prefix: /a}, ignoreUriCase: true', { prefix: '/a', caseSensitive: false }],
    ['a regular expression', 'uri: {regex: "/a.*"}', { safeRegex: { regex: '/a.*' }, caseSensitive: true }],
    [
      'a method, authority and scheme after the headers, which go by name',
      'scheme: {exact: https}, method: {exact: GET}, authority: {prefix: a.}, headers: {b: {exact: x}, a: {}}',
      {
        prefix: '/',
        caseSensitive: true,
        headers: [
          { name: 'a', presentMatch: true },
          { name: 'b', stringMatch: { exact: 'x' } },
          { name: ':method', stringMatch: { exact: 'GET' } },
          { name: ':authority', stringMatch: { prefix: 'a.' } },
          { name: ':scheme', stringMatch: { exact: 'https' } },
        ],
      },
    ],
    [
      'headers that must not be',
      'withoutHeaders: {a: {}, b: {exact: x}, c: {regex: "*"}}',
      {
        prefix: '/',
        caseSensitive: true,
        headers: [
          { name: 'a', presentMatch: true, invertMatch: true },
          { name: 'b', stringMatch: { exact: 'x' }, invertMatch: true, treatMissingHeaderAsEmpty: true },
          { name: 'c', presentMatch: true, invertMatch: true },
        ],
      },
    ],
    [
      'query parameters',
      'queryParams: {b: {exact: "1"}, a: {regex: "*"}}',
      {
        prefix: '/',
        caseSensitive: true,
        queryParameters: [
          { name: 'a', presentMatch: true },
          { name: 'b', stringMatch: { exact: '1' } },
        ],
      },
    ],
    [
      'a claim of a token',
      'headers: {"@request.auth.claims[group][id]": {exact: x}}',
      {
        prefix: '/',
        caseSensitive: true,
        dynamicMetadata: [
          {
            filter: 'envoy.filters.http.jwt_authn',
            path: [{ key: 'payload' }, { key: 'group' }, { key: 'id' }],
            value: {
              orMatch: {
                valueMatchers: [
                  { listMatch: { oneOf: { stringMatch: { exact: 'x' } } } },
                  { stringMatch: { exact: 'x' } },
                ],
              },
            },
          },
        ],
      },
    ],
  ];
  test.each(rows)('by %s', (_field, match, made) => {
    expect(matchOf(match)).toEqual(made);
  });

  test.each([
    ['its port', 'port: 8080'],
    ['the gateway', 'gateways: [istio-system/edge]'],
    ["the client's labels", 'sourceLabels: {app: other}'],
    ["the client's namespace", 'sourceNamespace: bank'],
  ])('that cannot occur at the listener are left out: %s', (_what, match) => {
    const push = meshWith(`{name: never, match: [{${match}}], ${WEB}}, {name: rest, ${WEB}}`);
    expect(namesOf(push, proxyOf('client', { metadata: { LABELS: { app: 'client' } } }))).toEqual(['rest']);
  });

  test.each([
    ['its port', 'port: 80'],
    ['the gateway', 'gateways: [istio-system/edge, mesh]'],
    ["the client's labels", 'sourceLabels: {app: client}'],
    ["the client's namespace", 'sourceNamespace: shop'],
  ])('that can occur are kept: %s', (_what, match) => {
    const push = meshWith(`{name: first, match: [{${match}}], ${WEB}}, {name: rest, ${WEB}}`);
    expect(namesOf(push, proxyOf('client', { metadata: { LABELS: { app: 'client' } } }))).toEqual(['first']);
  });

  test('nothing follows what lets everything through, and each match makes a route', () => {
    const push = meshWith(
      `{name: a, match: [{name: x, uri: {prefix: /x}}, {uri: {prefix: /}}, {uri: {prefix: /y}}], ${WEB}}, {name: b, ${WEB}}`,
    );
    expect(namesOf(push)).toEqual(['a.x', 'a']);
  });

  test('a VirtualService none of whose matches can occur is as if it were not there', () => {
    expect(namesOf(meshWith(`{name: a, match: [{port: 9}], ${WEB}}`))).toEqual(['default']);
  });
});

describe('where requests go', () => {
  test('one destination has its headers on the route', () => {
    const route = routeOf(
      'route: [{destination: {host: cart, subset: v1, port: {number: 81}}, headers: {request: {set: {b: "2", a: "1"}, add: {c: "3"}, remove: [d]}, response: {remove: [e, ":x"]}}}], headers: {request: {set: {z: "0"}}}',
    );
    expect(route.route?.cluster).toBe('outbound|81|v1|cart.shop.svc.cluster.local');
    expect(route.requestHeadersToAdd).toEqual([
      { header: { key: 'z', value: '0' }, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' },
      { header: { key: 'a', value: '1' }, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' },
      { header: { key: 'b', value: '2' }, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' },
      { header: { key: 'c', value: '3' } },
    ]);
    expect(route.requestHeadersToRemove).toEqual(['d']);
    expect(route.responseHeadersToRemove).toEqual(['e']);
    expect(route.decorator).toEqual({ operation: 'cart.shop.svc.cluster.local:81/*' });
  });

  test('of several, those without weight get nothing', () => {
    const route = routeOf(
      'route: [{destination: {host: web}, weight: 30, headers: {request: {set: {host: h}}}}, {destination: {host: cart}, weight: 70}, {destination: {host: gone}, weight: 0}]',
    );
    expect(route.route?.weightedClusters).toEqual({
      clusters: [
        { name: 'outbound|80||web.shop.svc.cluster.local', weight: 30, hostRewriteLiteral: 'h' },
        { name: 'outbound|80||cart.shop.svc.cluster.local', weight: 70 },
      ],
    });
    expect(route.decorator).toEqual({ operation: 'web:80/*' });
  });

  const rows: readonly (readonly [what: string, rule: string, made: RouteAction])[] = [
    ['no timeout', '', { timeout: '0s', maxGrpcTimeout: '0s' }],
    ['a timeout', 'timeout: 1.5s', { timeout: '1.500s', maxGrpcTimeout: '1.500s' }],
    ['a prefix', 'rewrite: {uri: /b}', { prefixRewrite: '/b' }],
    ['a host', 'rewrite: {authority: h}', { hostRewriteLiteral: 'h' }],
    ['a host by header', 'headers: {request: {set: {":authority": h}}}', { hostRewriteLiteral: 'h' }],
    [
      'a path by expression',
      'rewrite: {uriRegexRewrite: {match: "/(.*)", rewrite: \'/x\\1\'}}',
      { regexRewrite: { pattern: { regex: '/(.*)' }, substitution: '/x\\1' } },
    ],
    [
      'mirrors, each with its share',
      'mirror: {host: cart}, mirrorPercent: 50, mirrors: [{destination: {host: web, subset: v2}, percentage: {value: 0.5}}, {destination: {host: cart}, percentage: {value: 0}}]',
      {
        requestMirrorPolicies: [
          {
            cluster: 'outbound|80||cart.shop.svc.cluster.local',
            runtimeFraction: { defaultValue: { numerator: 50 } },
            traceSampled: false,
            disableShadowHostSuffixAppend: true,
          },
          {
            cluster: 'outbound|80|v2|web.shop.svc.cluster.local',
            runtimeFraction: { defaultValue: { numerator: 5000, denominator: 'MILLION' } },
            traceSampled: false,
            disableShadowHostSuffixAppend: true,
          },
        ],
      },
    ],
  ];
  test.each(rows)('with %s', (_what, rule, made) => {
    expect(actionOf([rule, WEB].filter(Boolean).join(', '))).toMatchObject(made);
  });

  test('a rewritten request keeps its first host where the mesh says so', () => {
    const mesh = 'defaultConfig: {proxyHeaders: {xForwardedHost: {enabled: true}}}';
    expect(actionOf(`rewrite: {uri: /b}, ${WEB}`, { mesh }).appendXForwardedHost).toBe(true);
  });

  test('the shadow of a host has its suffix where the switch says so', () => {
    const made = actionOf(`mirror: {host: cart}, ${WEB}`, { environment: { DISABLE_SHADOW_HOST_SUFFIX: 'false' } });
    expect(made.requestMirrorPolicies?.[0]).not.toHaveProperty('disableShadowHostSuffixAppend');
  });
});

describe('answers of the proxy itself', () => {
  const rows: readonly (readonly [rule: string, made: Route])[] = [
    ['redirect: {uri: /b}', { redirect: { pathRedirect: '/b' } }],
    ['redirect: {authority: h, redirectCode: 308}', { redirect: { hostRedirect: 'h', pathRedirect: '', responseCode: 'PERMANENT_REDIRECT' } }], // prettier-ignore
    ['redirect: {prefixRewrite: /p, scheme: https, port: 8443}', { redirect: { prefixRewrite: '/p', schemeRedirect: 'https', portRedirect: 8443 } }], // prettier-ignore
    ['redirect: {uri: /, scheme: https, port: 443}', { redirect: { pathRedirect: '/', schemeRedirect: 'https' } }],
    ['redirect: {uri: /, scheme: https, derivePort: FROM_REQUEST_PORT}', { redirect: { pathRedirect: '/', schemeRedirect: 'https', portRedirect: 80 } }], // prettier-ignore
    ['redirect: {uri: /, derivePort: FROM_REQUEST_PORT}', { redirect: { pathRedirect: '/' } }],
    ['directResponse: {status: 503, body: {string: busy}}', { directResponse: { status: 503, body: { inlineString: 'busy' } } }], // prettier-ignore
    ['directResponse: {status: 200, body: {bytes: aGk=}}', { directResponse: { status: 200, body: { inlineBytes: 'aGk=' } } }], // prettier-ignore
  ];
  test.each(rows)('%s', (rule, made) => {
    const { redirect, directResponse } = routeOf(rule);
    expect({ ...(redirect ? { redirect } : {}), ...(directResponse ? { directResponse } : {}) }).toEqual(made);
  });
});

describe('settings of filters', () => {
  test('faults', () => {
    const route = routeOf(
      `fault: {delay: {fixedDelay: 2s, percentage: {value: 0.1}}, abort: {grpcStatus: UNAVAILABLE, percentage: {value: 100}}}, ${WEB}`,
    );
    expect(route.typedPerFilterConfig?.['envoy.filters.http.fault']).toMatchObject({
      delay: { fixedDelay: '2s', percentage: { numerator: 1000, denominator: 'MILLION' } },
      abort: { grpcStatus: 14, percentage: { numerator: 1_000_000, denominator: 'MILLION' } },
    });
  });

  test('other origins', () => {
    const route = routeOf(
      `corsPolicy: {allowOrigins: [{prefix: "https://a."}], allowMethods: [GET, PUT], maxAge: 1.5h, allowCredentials: false, unmatchedPreflights: IGNORE}, ${WEB}`,
    );
    expect(route.typedPerFilterConfig?.['envoy.filters.http.cors']).toMatchObject({
      allowOriginStringMatch: [{ prefix: 'https://a.' }],
      allowMethods: 'GET,PUT',
      maxAge: '5400',
      allowCredentials: false,
      filterEnabled: { defaultValue: { numerator: 100 } },
      forwardNotMatchingPreflights: false,
    });
  });

  test('sessions of a destination', () => {
    const labelled = services.replace('{name: web, namespace: shop}', '{name: web, namespace: shop, labels: {istio.io/persistent-session: "id:/app"}}'); // prettier-ignore
    const push = meshOf(labelled + virtualServiceManifest('web', `hosts: [web], http: [{${WEB}}]`), {
      environment: { PILOT_ENABLE_PERSISTENT_SESSION_FILTER: 'true' },
    });
    const override = {
      statefulSession: { sessionState: { typedConfig: { cookie: { name: 'id', path: '/app' } } } },
    };
    const host = hostsAt(push, '80')['web.shop.svc.cluster.local:80'];
    expect(host?.typedPerFilterConfig?.['envoy.filters.http.stateful_session']).toMatchObject(override);
    expect(onlyRoute(push).typedPerFilterConfig?.['envoy.filters.http.stateful_session']).toMatchObject(override);
  });
});

describe('hashes', () => {
  const rule = (policy: string): string => `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web, ${policy}}
---`;
  const header = (name: string): string => `loadBalancer: {consistentHash: {httpHeaderName: ${name}}}`;
  const hashOf = (policy: string, destination: string): unknown =>
    onlyRoute(
      meshOf(
        services +
          rule(policy) +
          virtualServiceManifest('web', `hosts: [web], http: [{route: [{destination: {${destination}}}]}]`),
      ),
    ).route?.hashPolicy?.[0]?.header?.headerName;
  const policy = `
    trafficPolicy: {${header('host')}, portLevelSettings: [{port: {number: 80}, ${header('port')}}]},
    subsets: [
      {name: plain},
      {name: own, trafficPolicy: {${header('subset')}}},
      {name: deep, trafficPolicy: {${header('subset')}, portLevelSettings: [{port: {number: 80}, ${header('subset-port')}}]}}
    ]`;
  test.each([
    ['the host', 'host: web', 'host'],
    ['the port, if it is named', 'host: web, port: {number: 80}', 'port'],
    ['the subset before the port', 'host: web, subset: own, port: {number: 80}', 'subset'],
    ["the subset's port before all", 'host: web, subset: deep, port: {number: 80}', 'subset-port'],
    ['the rule for a subset that says nothing', 'host: web, subset: plain', 'host'],
  ])('are those of %s', (_what, destination, name) => {
    expect(hashOf(policy, destination)).toBe(name);
  });

  test('that Envoy would refuse cost no route', () => {
    expect(hashOf(`trafficPolicy: {${header('""')}}`, 'host: web')).toBeUndefined();
  });

  test('retries go to the same endpoint then', () => {
    const push = meshOf(
      services +
        rule(`trafficPolicy: {${header('x')}}`) +
        virtualServiceManifest('web', `hosts: [web], http: [{${WEB}}]`),
    );
    expect(onlyRoute(push).route?.retryPolicy).not.toHaveProperty('retryHostPredicate');
  });
});

describe('what Envoy would refuse', () => {
  test('an unusable expression takes its route with it and nothing else', () => {
    const push = meshWith(
      `{name: a, match: [{uri: {regex: "("}}, {name: ok, uri: {prefix: /ok}}], ${WEB}}, {name: b, rewrite: {uriRegexRewrite: {match: "[", rewrite: x}}, ${WEB}}, {name: c, ${WEB}}`,
    );
    expect(namesOf(push)).toEqual(['a.ok', 'c']);
    expect(push.evaluate(proxyOf('client'), sidecarRouteDiagnostics, '80')).toMatchObject([
      { kind: 'VirtualService', name: 'web', code: 'invalid-regex', field: 'spec.http[0].match[0].uri' },
      { code: 'invalid-regex', field: 'spec.http[1].rewrite.uriRegexRewrite.match' },
    ]);
  });

  test('a broken rule of Envoy likewise', () => {
    const push = meshWith(`{name: a, match: [{uri: {prefix: /a}}], route: [{destination: {host: web}, weight: 0}, {destination: {host: cart}, weight: 0}]}, {name: b, ${WEB}}`); // prettier-ignore
    expect(namesOf(push)).toEqual(['b']);
    expect(push.evaluate(proxyOf('client'), sidecarRouteDiagnostics, '80')).toMatchObject([
      { name: 'web', code: 'rejected-by-envoy-rules' },
    ]);
  });

  const odd: readonly (readonly [what: string, rule: string])[] = [
    ['a header whose value is no format', `headers: {request: {set: {x: "100%"}}}, ${WEB}`],
    ['a response that is too long', `directResponse: {status: 200, body: {string: ${'x'.repeat(1024 * 1024 + 1)}}}`],
    ['a negative timeout', `timeout: -1s, ${WEB}`],
    ['a negative weight', 'route: [{destination: {host: web}, weight: -1}, {destination: {host: cart}, weight: 2}]'],
    ['weights beyond count', `route: [${Array(3).fill('{destination: {host: web}, weight: 2147483647}').join(', ')}]`],
  ];
  test.each(odd)('so is %s', (_what, rule) => {
    const push = meshWith(`{name: a, match: [{uri: {prefix: /a}}], ${rule}}, {name: b, ${WEB}}`);
    expect(namesOf(push)).toEqual(['b']);
    expect(push.evaluate(proxyOf('client'), sidecarRouteDiagnostics, '80')).toHaveLength(1);
  });

  test('formats of header values are let through', () => {
    const value = '100%% of %REQ(:path):10% and %DYNAMIC_METADATA(a:b)% by %PROTOCOL%';
    expect(routeOf(`headers: {request: {set: {x: "${value}"}}}, ${WEB}`).requestHeadersToAdd).toHaveLength(1);
  });

  test('a VirtualService for every host gives way to what the mesh does with unknown ones', () => {
    const push = meshOf(virtualServiceManifest('all', `hosts: ["*"], http: [{${WEB}}]`));
    expect(Object.keys(hostsAt(push, '80'))).toEqual(['allow_any']);
    expect(push.evaluate(proxyOf('client'), sidecarRouteDiagnostics, '80')).toMatchObject([{ code: 'duplicate-host' }]);
  });

  test('a VirtualService without a usable route is told of, and its host keeps the route that it has without one', () => {
    const push = meshWith(`{match: [{uri: {regex: "("}}], ${WEB}}`);
    expect(namesOf(push)).toEqual(['default']);
    expect(push.evaluate(proxyOf('client'), sidecarRouteDiagnostics, '80')).toHaveLength(1);
  });
});
