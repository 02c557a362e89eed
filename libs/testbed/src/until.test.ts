import { expect, test } from '@jest/globals';
import { until } from './until.ts';

test('gives what the condition gives once it holds; errors are "not yet"', async () => {
  let asked = 0;
  const condition = (): number | false => {
    asked += 1;
    if (asked === 1) throw new Error('too early');
    return asked === 3 && asked;
  };
  expect(await until('three', condition)).toBe(3);
});

test('says what it waited for, and the last error', async () => {
  const never = () => Promise.reject(new Error('closed'));
  await expect(until('the door', never, { timeoutMs: 50 })).rejects.toThrow(/still waiting for the door: .*closed/);
});

test('an abort ends it with the reason', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(until('it', () => false, { signal })).rejects.toThrow('enough');
});
