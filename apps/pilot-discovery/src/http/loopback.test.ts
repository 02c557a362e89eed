import { expect, test } from '@jest/globals';
import { isLoopback } from './loopback.ts';

test.each(['127.0.0.1', '127.0.0.9:4711', '::1', '[::1]:4711', '::ffff:127.0.0.1', '[::ffff:127.0.0.1]:4711'])(
  '%s is',
  (peer) => {
    expect(isLoopback(peer)).toBe(true);
  },
);

test.each(['', '10.0.0.1', '10.0.0.1:127', '1.127.0.0', '::2', '[fe80::1]:4711', '127.example.com'])(
  '%s is not',
  (peer) => {
    expect(isLoopback(peer)).toBe(false);
  },
);
