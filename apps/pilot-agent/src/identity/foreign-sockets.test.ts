import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readEnvironment } from '../environment.ts';
import { findForeignSockets } from './foreign-sockets.ts';

let dir: string;
const before = process.cwd();
let owned: AsyncDisposableStack;
beforeEach(async () => {
  owned = new AsyncDisposableStack();
  dir = await mkdtemp(join(tmpdir(), 'uds-'));
  process.chdir(dir);
  owned.defer(() => process.chdir(before));
  for (const folder of ['workload-spiffe-uds', 'credential-uds']) {
    await mkdir(`var/run/secrets/${folder}`, { recursive: true });
  }
});
afterEach(async () => {
  await owned.disposeAsync();
  await rm(dir, { recursive: true });
});

async function serve(path: string): Promise<void> {
  const server = createServer().listen(`var/run/secrets/${path}`);
  owned.defer(async () => {
    server.close();
    await once(server, 'close');
  });
  await once(server, 'listening');
}

const find = (file?: string) =>
  findForeignSockets(readEnvironment(file === undefined ? {} : { WORKLOAD_IDENTITY_SOCKET_FILE: file }).environment);

test('nobody serves anything, or has left a file behind', async () => {
  expect(await find()).toEqual({ workload: false, credentials: false });
  await writeFile('var/run/secrets/workload-spiffe-uds/socket', '');
  expect(await find()).toEqual({ workload: false, credentials: false });
});

test('the sockets of another program are found', async () => {
  await serve('workload-spiffe-uds/socket');
  await serve('credential-uds/socket');
  expect(await find()).toEqual({ workload: true, credentials: true });
});

test('a socket that is named has to be served', async () => {
  await expect(find('spire.sock')).rejects.toThrow('nobody serves ./var/run/secrets/workload-spiffe-uds/spire.sock');
  await expect(find('../spire.sock')).rejects.toThrow('a path');
  await serve('workload-spiffe-uds/spire.sock');
  expect(await find('spire.sock')).toEqual({ workload: true, credentials: false });
});
