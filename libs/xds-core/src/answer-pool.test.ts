import { expect, test } from '@jest/globals';
import { AnswerPool } from './answer-pool.ts';
import { Answer } from './answer.ts';

const answer = (...resources: string[]) =>
  new Answer(
    resources.map((text) => {
      const [name = '', version = ''] = text.split(':');
      return { name, version, any: Buffer.from(text) };
    }),
  );

test('equal answers of a type become the same object', () => {
  const pool = new AnswerPool();
  const first = answer('a:1', 'b:1');
  expect(pool.intern('T', first)).toBe(first);
  expect(pool.intern('T', answer('a:1', 'b:1'))).toBe(first);
  expect(pool.intern('U', answer('a:1', 'b:1'))).not.toBe(first);
});

test.each([
  ['another version', answer('a:1', 'b:2')],
  ['another name', answer('a:1', 'c:1')],
  ['another order', answer('b:1', 'a:1')],
  ['less', answer('a:1')],
  ['more', answer('a:1', 'b:1', 'c:1')],
  ['nothing', answer()],
])('%s makes another answer', (_, other) => {
  const pool = new AnswerPool();
  pool.intern('T', answer('a:1', 'b:1'));
  expect(pool.intern('T', other)).toBe(other);
});

test('of many different answers the latest used are known', () => {
  const pool = new AnswerPool();
  const first = pool.intern('T', answer('a:0'));
  const others = Array.from({ length: 100 }, (_, index) => {
    pool.intern('T', answer('a:0'));
    return pool.intern('T', answer(`a:${index + 1}`));
  });
  expect(pool.intern('T', answer('a:0'))).toBe(first);
  expect(pool.intern('T', answer('a:100'))).toBe(others[99]);
  expect(pool.intern('T', answer('a:1'))).not.toBe(others[0]);
});
