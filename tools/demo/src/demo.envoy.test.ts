import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

test('the demo tells its story to the end', async () => {
  const env = { ...process.env, KEEP: '' };
  const demo = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complaints] = await Promise.all([text(demo.stdout), text(demo.stderr)]);
  expect(complaints).toBe('');
  expect(said).toContain('The back end is called by spiffe://cluster.local/ns/demo/sa/frontend.');
  expect(said).toMatch(/from outside the mesh, to \S+, is refused: /);
  expect(said).toMatch(/says v1 90 %, v2 10 %; 500 requests through the gateway went v1 \d/);
  expect(said).toMatch(/from the file to the last ACK: \d+ ms/);
  expect(said).toMatch(/pushed to frontend: RDS/i);
  expect(said).toMatch(/skipped, for nothing changes for them: .*backend-v1/);
  expect(said).toMatch(/says v1 20 %, v2 80 %; 500 requests/);
  expect(said).toMatch(/None of \d+ requests failed/);
  expect(said).toMatch(/no process is left\.\n$/);
});
