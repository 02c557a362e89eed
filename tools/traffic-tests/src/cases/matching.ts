import type { HttpCase } from './http-case.ts';

/** Which requests a route is for: those that match go to v2, others to v1. */
function matching(id: string, match: object, taken: readonly Request[], others: readonly Request[]): HttpCase {
  return {
    name: `match: ${id}`,
    id: `match-${id}`,
    http: (to) => [{ match: [match], route: [to('v2')] }, { route: [to('v1')] }],
    exchanges: [
      ...taken.map((request) => [request, { status: 200, server: 'v2' }] as const),
      ...others.map((request) => [request, { status: 200, server: 'v1' }] as const),
    ],
  };
}

type Request = NonNullable<HttpCase['exchanges']>[number][0];

const header = (value: string): Request => ({ headers: { 'x-kind': value } });
const path = (text: string): Request => ({ path: text });

export const matchingCases: readonly HttpCase[] = [
  matching('header-exact', { headers: { 'x-kind': { exact: 'new' } } }, [header('new')], [header('newer'), {}]),
  matching('header-prefix', { headers: { 'x-kind': { prefix: 'new' } } }, [header('newer')], [header('anew'), {}]),
  matching(
    'header-regex',
    { headers: { 'x-kind': { regex: 'n[a-z]+' } } },
    [header('nine')],
    [header('n1'), header('xnine')],
  ),
  matching('header-present', { headers: { 'x-kind': {} } }, [header('any')], [{}]),
  matching('without-header', { withoutHeaders: { 'x-kind': { exact: 'old' } } }, [{}, header('new')], [header('old')]),
  matching(
    'query-exact',
    { queryParams: { v: { exact: '2' } } },
    [path('/?v=2'), path('/?a=b&v=2')],
    [path('/?v=3'), path('/')],
  ),
  matching('query-prefix', { queryParams: { v: { prefix: '2' } } }, [path('/?v=21')], [path('/?v=12')]),
  matching('query-regex', { queryParams: { v: { regex: '[0-9]+' } } }, [path('/?v=44')], [path('/?v=x4')]),
  matching('path-exact', { uri: { exact: '/a' } }, [path('/a'), path('/a?x=1')], [path('/a/'), path('/A')]),
  matching('path-prefix', { uri: { prefix: '/a' } }, [path('/a/b'), path('/ab')], [path('/b/a')]),
  matching(
    'path-regex',
    { uri: { regex: '/items/[0-9]+' } },
    [path('/items/7')],
    [path('/items/x'), path('/items/7/y')],
  ),
  matching('path-any-case', { uri: { prefix: '/Shop' }, ignoreUriCase: true }, [path('/sHOP/x')], [path('/store')]),
  matching('method', { method: { exact: 'POST' } }, [{ method: 'POST' }], [{ method: 'PUT' }]),
  matching(
    'several',
    { uri: { prefix: '/a' }, headers: { 'x-kind': { exact: 'b' } } },
    [{ path: '/a', ...header('b') }],
    [path('/a'), header('b')],
  ),
];
