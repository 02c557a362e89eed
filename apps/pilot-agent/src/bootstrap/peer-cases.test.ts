import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runBootstrapPeerCases } from './peer-cases.ts';

const dir = join(process.env['CONFORMANCE_DIR'] ?? '../shared/conformance/peer', 'bootstrap');

// The peer data lies outside the repository; where it is absent, the conformance tier says so.
(existsSync(dir) ? test : test.skip)('every peer case is equal', async () => {
  const results = await runBootstrapPeerCases(dir);
  expect(results.length).toBeGreaterThan(19);
  expect(results.filter(({ equal }) => !equal)).toEqual([]);
});
