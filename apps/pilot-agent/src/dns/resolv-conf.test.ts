import { expect, test } from '@jest/globals';
import { parseResolvConf } from './resolv-conf.ts';

test.each([
  ['', { servers: [], search: [] }],
  ['nameserver 10.96.0.10\nnameserver fd00::a\n', { servers: ['10.96.0.10', 'fd00::a'], search: [] }],
  [
    'search Shop.svc.cluster.local. svc.cluster.local\noptions ndots:5\n',
    { servers: [], search: ['shop.svc.cluster.local', 'svc.cluster.local'] },
  ],
  ['domain example.com\nsearch a b\n', { servers: [], search: ['a', 'b'] }],
  ['search a b\ndomain example.com', { servers: [], search: ['example.com'] }],
  ['# nameserver 1.2.3.4\nnameserver nobody\n  nameserver 1.1.1.1 ; one', { servers: ['1.1.1.1'], search: [] }],
])('%j', (text, expected) => {
  expect(parseResolvConf(text)).toEqual(expected);
});
