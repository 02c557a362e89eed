import type { HttpCase } from './http-case.ts';

/** Requests and answers that are changed on their way, or answered by the proxy itself. */
export const changingCases: readonly HttpCase[] = [
  {
    name: 'rewrite: the prefix of the path',
    id: 'rewrite-prefix',
    http: (to) => [{ match: [{ uri: { prefix: '/old' } }], rewrite: { uri: '/new' }, route: [to('v1')] }],
    exchanges: [
      [{ path: '/old/a?b=c' }, { status: 200, path: '/new/a?b=c' }],
      [{ path: '/other' }, { status: 404, server: undefined }],
    ],
  },
  {
    name: 'rewrite: the path by a regular expression',
    id: 'rewrite-regex',
    http: (to) => [
      {
        match: [{ uri: { prefix: '/service/' } }],
        rewrite: { uriRegexRewrite: { match: '^/service/([^/]+)(/.*)$', rewrite: '\\2/of/\\1' } },
        route: [to('v1')],
      },
    ],
    exchanges: [[{ path: '/service/cart/items' }, { status: 200, path: '/items/of/cart' }]],
  },
  {
    name: 'rewrite: the authority',
    id: 'rewrite-authority',
    http: (to) => [{ rewrite: { authority: 'other.example.com' }, route: [to('v1')] }],
    exchanges: [[{}, { status: 200, host: 'other.example.com' }]],
  },
  {
    name: 'redirect',
    id: 'redirect',
    http: () => [
      { match: [{ uri: { prefix: '/a' } }], redirect: { uri: '/b', authority: 'b.example.com', redirectCode: 308 } },
      { redirect: { scheme: 'https', authority: 'c.example.com' } },
    ],
    exchanges: [
      [{ path: '/a/x' }, { status: 308, headers: { location: 'http://b.example.com/b' }, server: undefined }],
      [{ path: '/y?z=1' }, { status: 301, headers: { location: 'https://c.example.com/y?z=1' } }],
    ],
  },
  {
    name: 'direct response',
    id: 'direct',
    http: () => [
      {
        directResponse: { status: 418, body: { string: 'short and stout' } },
        headers: { response: { set: { 'x-pot': 'tea' } } },
      },
    ],
    exchanges: [[{}, { status: 418, text: 'short and stout', headers: { 'x-pot': 'tea' }, server: undefined }]],
  },
  {
    name: 'header operations',
    id: 'headers',
    http: (to) => [
      {
        headers: {
          request: { set: { 'x-set': 'proxy' }, add: { 'x-add': 'proxy' }, remove: ['x-gone'] },
          response: { set: { 'x-answer': 'proxy' }, remove: ['content-length'] },
        },
        route: [to('v1', { headers: { request: { set: { 'x-destination': 'v1' } } } })],
      },
    ],
    exchanges: [
      [
        { headers: { 'x-set': 'client', 'x-add': 'client', 'x-gone': 'client' } },
        {
          arrived: { 'x-set': 'proxy', 'x-add': 'client, proxy', 'x-gone': undefined, 'x-destination': 'v1' },
          headers: { 'x-answer': 'proxy', 'content-length': undefined },
        },
      ],
    ],
  },
  {
    name: 'CORS: preflight and answers',
    id: 'cors',
    http: (to) => [
      {
        corsPolicy: {
          allowOrigins: [{ exact: 'https://good.example.com' }, { regex: 'https://.*\\.dev' }],
          allowMethods: ['GET', 'PUT'],
          allowHeaders: ['x-mine'],
          exposeHeaders: ['x-seen'],
          maxAge: '90s',
          allowCredentials: true,
        },
        route: [to('v1')],
      },
    ],
    exchanges: [
      [
        preflight('https://good.example.com'),
        {
          status: 200,
          server: undefined,
          headers: {
            'access-control-allow-origin': 'https://good.example.com',
            'access-control-allow-methods': 'GET,PUT',
            'access-control-allow-headers': 'x-mine',
            'access-control-max-age': '90',
            'access-control-allow-credentials': 'true',
          },
        },
      ],
      [preflight('https://a.dev'), { headers: { 'access-control-allow-origin': 'https://a.dev' } }],
      [preflight('https://bad.example.com'), { headers: { 'access-control-allow-origin': undefined } }],
      [
        { headers: { origin: 'https://good.example.com' } },
        {
          status: 200,
          server: 'v1',
          headers: {
            'access-control-allow-origin': 'https://good.example.com',
            'access-control-expose-headers': 'x-seen',
          },
        },
      ],
    ],
  },
];

function preflight(origin: string) {
  return { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PUT' } };
}
