import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createMetricRegistry } from '@kedge/observability';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { registerWasmMetrics } from './metrics.ts';
import { ModuleCache, type ModuleRequest } from './module-cache.ts';
import { wasmModule } from './testing/test-registry.ts';

let dir: string;
let cache: ModuleCache;
let remote: { checksum: string; module: Buffer };
let lookups: number;
let downloads: number;
let now: number;
const registry = createMetricRegistry();
const metrics = registerWasmMetrics(registry);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wasm-'));
  remote = { checksum: 'one', module: wasmModule('one') };
  lookups = downloads = now = 0;
  cache = new ModuleCache({
    dir,
    fetch: async () => {
      lookups += 1;
      const { checksum, module } = remote;
      const download = async (): Promise<Buffer> => {
        downloads += 1;
        return module;
      };
      return { checksum, download };
    },
    expiryMs: 1000,
    purgeIntervalMs: 3_600_000,
    metrics,
    log: collectingLogger().log,
    now: () => now,
  });
});
afterEach(async () => {
  cache[Symbol.dispose]();
  await rm(dir, { recursive: true });
});

const get = (more: Partial<ModuleRequest> = {}): Promise<string> =>
  cache.get({
    url: 'https://example.com/a.wasm',
    checksum: '',
    resource: 'shop/a',
    version: '1',
    policy: 'UNSPECIFIED_POLICY',
    timeoutMs: 1000,
    ...more,
  });

test('a module is downloaded once, also when it is asked for at once', async () => {
  const [path, other] = await Promise.all([get(), get()]);
  expect(other).toBe(path);
  expect(await readFile(path)).toEqual(remote.module);
  expect(await get()).toBe(path);
  expect([lookups, downloads]).toEqual([1, 1]);
});

test('the checksum has to be that of the request', async () => {
  await expect(get({ checksum: 'two' })).rejects.toThrow('has the checksum one, not two');
  expect(downloads).toBe(0);
  await get({ checksum: 'one' });
  await get({ checksum: 'one', version: '2', policy: 'Always' });
  expect(lookups).toBe(2);
});

const latest = 'oci://ghcr.io/istio/plugin:latest';
test.each([
  ['https://example.com/a.wasm', 'UNSPECIFIED_POLICY', false],
  ['https://example.com/a.wasm', 'Always', true],
  [latest, 'UNSPECIFIED_POLICY', true],
  [latest, 'IfNotPresent', false],
  ['oci://ghcr.io/istio/plugin:v1', 'UNSPECIFIED_POLICY', false],
] as const)('a new version of the resource has %s with %s looked up again: %s', async (url, policy, again) => {
  const first = await get({ url, policy });
  remote = { checksum: 'two', module: wasmModule('two') };
  expect(await get({ url, policy })).toBe(first);
  const next = await get({ url, policy, version: '2' });
  expect(next !== first).toBe(again);
  expect(lookups).toBe(again ? 2 : 1);
});

test('what is looked up again and is the same is not downloaded again', async () => {
  await get({ url: latest });
  await get({ url: latest, version: '2' });
  expect([lookups, downloads]).toEqual([2, 1]);
});

test('what is no module is refused', async () => {
  remote = { checksum: 'one', module: Buffer.from('<html>') };
  await expect(get()).rejects.toThrow('is no Wasm module');
  remote = { checksum: 'one', module: wasmModule() };
  await get();
});

test('what nobody asks for is removed', async () => {
  const path = await get();
  now = 900;
  await get();
  now = 1800;
  await cache.purge();
  expect(existsSync(path)).toBe(true);
  now = 2000;
  await cache.purge();
  expect(existsSync(path)).toBe(false);
  expect(await registry.text()).toContain('istio_agent_wasm_cache_entries 0');
  expect(existsSync(await get())).toBe(true);
});
