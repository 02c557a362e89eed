import { describe, expect, test } from '@jest/globals';
import { type HTTPRoute, parseConfigFile } from '@kedge/model';
import { mergeDelegate } from './delegates.ts';

/** The one HTTP route of a VirtualService, in YAML's flow style. */
function routeOf(text: string): HTTPRoute {
  const [parsed] = parseConfigFile(
    `{apiVersion: networking.istio.io/v1, kind: VirtualService, metadata: {name: x, namespace: shop}, spec: {http: [{${text}}]}}`,
    'x.yaml',
  );
  if (parsed?.config?.kind !== 'VirtualService') throw new Error(JSON.stringify(parsed));
  const spec = parsed.config.spec as { readonly http: readonly HTTPRoute[] };
  return spec.http[0] as HTTPRoute;
}

const merge = (root: string, delegate: string): HTTPRoute | undefined =>
  mergeDelegate(routeOf(root), routeOf(delegate));

describe('settings', () => {
  test("are the delegate's, else the root's", () => {
    const merged = merge(
      'name: r, timeout: 1s, rewrite: {uri: /r}, headers: {request: {set: {a: "1"}}}, mirrors: [{destination: {host: m}}]',
      'name: d, timeout: 2s, route: [{destination: {host: a}}]',
    );
    expect(merged).toMatchObject({
      name: 'r-d',
      timeout: 2000,
      rewrite: { uri: '/r' },
      headers: { request: { set: { a: '1' } } },
      mirrors: [{ destination: { host: 'm' } }],
      route: [{ destination: { host: 'a' } }],
    });
  });

  test('a name of one alone stays', () => {
    expect(merge('name: r', '')?.name).toBe('r');
    expect(merge('', 'name: d')?.name).toBe('d');
  });
});

describe('matches', () => {
  test('without one of the root, those of the delegate, and the other way round', () => {
    expect(merge('', 'match: [{uri: {prefix: /a}}]')?.match).toMatchObject([{ uri: { prefix: '/a' } }]);
    expect(merge('match: [{uri: {prefix: /a}}]', '')?.match).toMatchObject([{ uri: { prefix: '/a' } }]);
  });

  test('each of the delegate within each of the root', () => {
    const merged = merge(
      'match: [{name: a, uri: {prefix: /a}, headers: {x: {exact: "1"}}}, {name: b, uri: {prefix: /b}, port: 80}]',
      'match: [{name: c, uri: {prefix: /a/c}}, {method: {exact: GET}, statPrefix: s}]',
    );
    expect(merged?.match).toMatchObject([
      { name: 'a-c', uri: { prefix: '/a/c' }, headers: { x: { exact: '1' } } },
      { name: 'a', uri: { prefix: '/a' }, method: { exact: 'GET' }, statPrefix: 's' },
      { name: 'b', uri: { prefix: '/b' }, method: { exact: 'GET' }, port: 80 },
    ]);
  });

  test.each([
    ['another path', 'uri: {prefix: /a}', 'uri: {prefix: /b}'],
    ['a wider path', 'uri: {prefix: /a/b}', 'uri: {prefix: /a}'],
    ['a prefix within one path', 'uri: {exact: /a}', 'uri: {prefix: /a}'],
    ['an expression beside anything', 'uri: {prefix: /a}', 'uri: {regex: /a.*}'],
    ['the same expression', 'uri: {regex: /a.*}', 'uri: {regex: /a.*}'],
    ['another header', 'headers: {x: {exact: "1"}}', 'headers: {x: {exact: "2"}}'],
    ['another method', 'method: {exact: GET}', 'method: {exact: PUT}'],
    ['another port', 'port: 80', 'port: 81'],
    ['case or none', 'ignoreUriCase: true', 'uri: {exact: /a}'],
    ['any namespace where the root names one', 'sourceNamespace: shop', 'uri: {exact: /a}'],
    ['other labels', 'sourceLabels: {app: a}', 'sourceLabels: {app: b}'],
    ['a gateway more', 'gateways: [mesh]', 'gateways: [mesh, shop/edge]'],
  ])('%s contradicts the root', (_what, root, delegate) => {
    expect(merge(`match: [{${root}}]`, `match: [{${delegate}}]`)).toBeUndefined();
  });

  test('only what contradicts is lost', () => {
    const merged = merge('match: [{uri: {prefix: /a}}]', 'match: [{uri: {prefix: /b}}, {uri: {exact: /a/x}}]');
    expect(merged?.match).toMatchObject([{ uri: { exact: '/a/x' } }]);
  });
});
