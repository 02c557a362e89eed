import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../parse/json.ts';
import { type Row, findings, testRows } from './testing/rows.ts';

const to = (host: string, more: JsonObject = {}): JsonObject => ({ destination: { host }, ...more });
const ROUTE: JsonObject = { route: [to('web')] };
const withHttp = (...http: JsonObject[]): JsonObject => ({ hosts: ['web.shop.com'], http });
const withRoute = (fields: JsonObject): JsonObject => withHttp({ ...ROUTE, ...fields });
const withMatch = (match: JsonObject): JsonObject => withRoute({ match: [match] });

describe('hosts and gateways', () => {
  testRows('VirtualService', [
    ['a route to a service', withHttp(ROUTE)],
    ['no routes', { hosts: ['a.com'] }, 'error required spec'],
    ['a wildcard at a gateway', { hosts: ['*'], gateways: ['shop/edge'], http: [ROUTE] }],
    ['a wildcard in the mesh', { hosts: ['*'], http: [ROUTE] }, 'error invalid-host spec.hosts[0]'],
    ['an address as host', { hosts: ['10.1.2.3'], http: [ROUTE] }],
    ['a host that is no domain', { hosts: ['a_b.com'], http: [ROUTE] }, 'error invalid-host spec.hosts[0]'],
    ['hosts that overlap', { hosts: ['*.a.com', 'b.a.com'], http: [ROUTE] }, 'error duplicate-host spec.hosts[1]'],
    ['a delegate', { http: [ROUTE] }],
    [
      'a delegate with more than HTTP',
      { gateways: ['edge'], tcp: [ROUTE] },
      'error conflicting-fields spec.gateways',
      'error conflicting-fields spec.tcp',
    ],
    ['a gateway in its old form', { hosts: ['a.com'], gateways: ['edge.shop'], http: [ROUTE] }, 'warning legacy-gateway-name spec.gateways[0]'], // prettier-ignore
    ['a gateway by wildcard', { hosts: ['a.com'], gateways: ['shop/*'], http: [ROUTE] }, 'error invalid-gateway-name spec.gateways[0]'], // prettier-ignore
    ['names after a short one', { hosts: ['a.com'], gateways: ['mesh', '*/*'], http: [ROUTE] }],
    [
      'exported to all and one',
      { ...withHttp(ROUTE), exportTo: ['*', 'shop'] },
      'error conflicting-export-to spec.exportTo',
    ],
    ['exported twice', { ...withHttp(ROUTE), exportTo: ['.', 'shop'] }, 'error duplicate-entry spec.exportTo[1]'],
    ['exported to nobody', { ...withHttp(ROUTE), exportTo: ['~'] }, 'error invalid-export-to spec.exportTo[0]'],
  ]);
});

describe('HTTP matches', () => {
  testRows('VirtualService', [
    ['an empty URI prefix', withMatch({ uri: { prefix: '' } })],
    ['an empty method prefix', withMatch({ method: { prefix: '' } }), 'error empty-match spec.http[0].match[0].method'],
    ['a regular expression not of RE2', withMatch({ uri: { regex: '(?=a)' } }), 'error invalid-regex spec.http[0].match[0].uri.regex'], // prettier-ignore
    ['presence of a header', withMatch({ headers: { 'x-user': {} } })],
    ['absence of a header', withMatch({ withoutHeaders: { 'x-user': { regex: '*' } } })],
    ['a header name with a blank', withMatch({ headers: { 'x user': { exact: 'a' } } }), 'error invalid-header-name spec.http[0].match[0].headers["x user"]'], // prettier-ignore
    ['a claim in the mesh', withMatch({ headers: { '@request.auth.claims.role': { exact: 'a' } } }), 'error unsupported spec.http[0].match[0].headers["@request.auth.claims.role"]'], // prettier-ignore
    ['a bad source', withMatch({ port: 70000, sourceNamespace: 'a.b', sourceLabels: { '-a': 'b' } }), 'error invalid-port spec.http[0].match[0].port', 'error invalid-label-key spec.http[0].match[0].sourceLabels["-a"]', 'error invalid-namespace spec.http[0].match[0].sourceNamespace'], // prettier-ignore
  ]);

  test('a claim at a gateway', () => {
    const spec = {
      ...withMatch({ headers: { '@request.auth.claims[role][name]': { exact: 'a' } } }),
      gateways: ['edge'],
    };
    expect(findings('VirtualService', spec)).toEqual([]);
  });
});

const IN_ROUTE = 'spec.http[0]';
const actions: readonly Row[] = [
  ['nothing to do', withHttp({}), `error required ${IN_ROUTE}`],
  ['redirect and route', withRoute({ redirect: { uri: '/b' } }), `error conflicting-fields ${IN_ROUTE}.route`],
  ['response and fault', withHttp({ directResponse: { status: 200 }, fault: { abort: { httpStatus: 500 } } }), `error conflicting-fields ${IN_ROUTE}.fault`], // prettier-ignore
  ['delegate and route', withRoute({ delegate: { name: 'a' } }), `error conflicting-fields ${IN_ROUTE}.route`],
  ['an empty redirect', withHttp({ redirect: {} }), `error empty ${IN_ROUTE}.redirect`],
  ['a redirect by code 200', withHttp({ redirect: { uri: '/b', redirectCode: 200 } }), `error out-of-range ${IN_ROUTE}.redirect.redirectCode`], // prettier-ignore
  ['a rewritten prefix of an exact match', withHttp({ match: [{ uri: { exact: '/a' } }], redirect: { prefixRewrite: '/b' } }), `error conflicting-fields ${IN_ROUTE}.redirect.prefixRewrite`], // prettier-ignore
  ['a rewrite without replacement', withRoute({ rewrite: { uriRegexRewrite: { match: 'a' } } }), `error required ${IN_ROUTE}.rewrite.uriRegexRewrite`], // prettier-ignore
  ['the authority set twice', withRoute({ rewrite: { authority: 'a' }, headers: { request: { set: { Host: 'b' } } } }), `error conflicting-fields ${IN_ROUTE}`], // prettier-ignore
  ['a status out of range', withHttp({ directResponse: { status: 99 } }), `error out-of-range ${IN_ROUTE}.directResponse.status`], // prettier-ignore
  ['a large response', withHttp({ directResponse: { status: 200, body: { string: 'a'.repeat(102_401) } } }), `warning too-large ${IN_ROUTE}.directResponse.body`], // prettier-ignore
  ['retries by condition and status', withRoute({ retries: { attempts: 2, retryOn: '5xx,503,reset' } })],
  ['retries on what is no condition', withRoute({ retries: { attempts: 2, retryOn: '5xx,sometimes' } }), `error unknown-retry-condition ${IN_ROUTE}.retries.retryOn`], // prettier-ignore
  [
    'settings of no retries',
    withRoute({ retries: { perTryTimeout: '1s' } }),
    `error ineffective-field ${IN_ROUTE}.retries`,
  ],
  ['a timeout below 1ms', withRoute({ timeout: '1us' }), `error invalid-duration ${IN_ROUTE}.timeout`],
  ['a timeout with a fraction', withRoute({ timeout: '1.0005s' }), `error invalid-duration ${IN_ROUTE}.timeout`],
  ['a timeout in milliseconds', withRoute({ timeout: '1.001s' })],
  ['a fault by HTTP/2 error', withRoute({ fault: { abort: { http2Error: 'X' } } }), `error unsupported ${IN_ROUTE}.fault.abort.http2Error`], // prettier-ignore
  ['a fault of a tiny share', withRoute({ fault: { delay: { fixedDelay: '1s', percentage: { value: 0.00001 } } } }), `error out-of-range ${IN_ROUTE}.fault.delay.percentage`], // prettier-ignore
  ['CORS of an unknown method', withRoute({ corsPolicy: { allowMethods: ['get'] } }), `error unknown-method ${IN_ROUTE}.corsPolicy.allowMethods[0]`], // prettier-ignore
  ['CORS for half a second', withRoute({ corsPolicy: { maxAge: '0.5s' } }), `error invalid-duration ${IN_ROUTE}.corsPolicy.maxAge`], // prettier-ignore
  ['an old way to mirror', withRoute({ mirror: { host: 'a' }, mirrorPercent: 101 }), `error out-of-range ${IN_ROUTE}.mirrorPercent`, `warning deprecated-field ${IN_ROUTE}.mirrorPercent`], // prettier-ignore
  ['weights that make nothing', withHttp({ route: [to('a'), to('b')] }), `error invalid-weight ${IN_ROUTE}.route`],
  ['a destination "*"', withHttp({ route: [to('*')] }), `error invalid-host ${IN_ROUTE}.route[0].destination.host`],
  ['a pseudo-header of the response', withRoute({ headers: { response: { set: { ':status': '1' } } } }), `error invalid-header-name ${IN_ROUTE}.headers.response.set[":status"]`], // prettier-ignore
];
describe('HTTP actions', () => testRows('VirtualService', actions));

describe('TLS and TCP', () => {
  const tls = (match: JsonObject, more: JsonObject = {}): JsonObject => ({
    hosts: ['*.shop.com'],
    tls: [{ match: [match], ...ROUTE }],
    ...more,
  });
  testRows('VirtualService', [
    ['SNI within the hosts', tls({ sniHosts: ['web.shop.com'] })],
    ['SNI of another host', tls({ sniHosts: ['web.com'] }), 'error invalid-host spec.tls[0].match[0].sniHosts[0]'],
    ['an address as SNI', tls({ sniHosts: ['10.0.0.1'] }), 'warning ip-as-sni spec.tls[0].match[0].sniHosts[0]'],
    ['no SNI', tls({}), 'error required spec.tls[0].match[0].sniHosts'],
    ['the SNI of another cluster', tls({ sniHosts: ['outbound_.80_._.web.shop.com'] }, { gateways: ['east-west'] })],
    ['a bad subnet', { hosts: ['a.com'], tcp: [{ match: [{ destinationSubnets: ['10.0.0.0/33'] }], ...ROUTE }] }, 'error invalid-subnet spec.tcp[0].match[0].destinationSubnets[0]'], // prettier-ignore
    ['no TCP destination', { hosts: ['a.com'], tcp: [{}] }, 'error required spec.tcp[0]'],
  ]);
});

describe('routes that take no traffic', () => {
  const on = (...match: JsonObject[]): JsonObject => ({ match, ...ROUTE });
  const prefix = (value: string, more: JsonObject = {}): JsonObject => ({ uri: { prefix: value }, ...more });
  testRows('VirtualService', [
    ['behind a catch-all', withHttp(ROUTE, on(prefix('/a')), ROUTE), 'warning unreachable-route spec.http[1]', 'warning unreachable-route spec.http[2]'], // prettier-ignore
    ['with the match of another', withHttp(on({ port: 80, name: 'a' }), on({ name: 'b', port: 80 }, { port: 81 })), 'warning ineffective-match spec.http[1].match[0]'], // prettier-ignore
    ['with all matches of others', withHttp(on({ port: 80 }), on({ port: 80 })), 'warning ineffective-match spec.http[1].match[0]', 'warning unreachable-route spec.http[1]'], // prettier-ignore
    ['behind a shorter prefix', withHttp(on(prefix('/a')), on(prefix('/a/b'))), 'warning ineffective-match spec.http[1].match[0]'], // prettier-ignore
    [
      'behind a shorter prefix for others',
      withHttp(on(prefix('/a', { headers: { x: { exact: '1' } } })), on(prefix('/a/b'))),
    ],
    ['before a shorter prefix', withHttp(on(prefix('/a/b')), on(prefix('/a')))],
  ]);
});
