import { expect, test } from '@jest/globals';
import { nackOf, presentable } from './nack.ts';

const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----';

test.each([
  ['Error adding/updating cluster(s) a: bad', 'Error adding/updating cluster(s) a: bad'],
  [`key ${pem} is bad`, 'key [PEM redacted] is bad'],
  ['key -----BEGIN PRIVATE KEY-----\nMIIEvQ', 'key [PEM redacted]'],
  ['token eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln!', 'token [token redacted]!'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
  ['inline_string: "top \\" secret", x: 1', 'inline_string: [redacted], x: 1'],
  ['{"inlineBytes":"c2VjcmV0"}', '{"inlineBytes":[redacted]}'],
  [`value ${'QUJD'.repeat(40)} is bad`, 'value [bytes redacted] is bad'],
])('%j is shown as %j', (text, shown) => {
  expect(presentable(text)).toBe(shown);
});

test('a long text is cut', () => {
  const { message, code } = nackOf({ code: 13, message: 'word '.repeat(100_000) }, 1);
  expect(message.length).toBeLessThanOrEqual(1_001);
  expect(code).toBe(13);
});
