import { expect, test } from '@jest/globals';
import { namesIn } from './names-in.ts';

const names = ['outbound|80||web.shop', 'outbound|80||web.shop.svc', '80', 'http.80', '0.0.0.0_8080', ''];

test.each<readonly [text: string, found: readonly string[]]>([
  ['Error adding/updating cluster(s) outbound|80||web.shop: no', ['outbound|80||web.shop']],
  ['cluster outbound|80||web.shop.svc.', ['outbound|80||web.shop.svc']],
  ["route 'http.80' is bad", ['http.80']],
  ['80', ['80']],
  ['listener 0.0.0.0_8080, 10.0.0.0_8080', ['0.0.0.0_8080']],
  ['listener 10.0.0.0_80801: no', []],
  ['something is wrong', []],
])('%s', (text, found) => {
  expect([...namesIn(text, names)]).toEqual(found);
});
