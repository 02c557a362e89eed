import { test } from '@jest/globals';
import { invariants } from './index.ts';

test.each(invariants)('$name', ({ check, runs }) => check({ seed: 5, numRuns: runs }), 300_000);
