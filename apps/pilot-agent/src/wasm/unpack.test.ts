import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tarOf, wasmModule } from './testing/test-registry.ts';
import { unpackLayer, unpackModule } from './unpack.ts';

const module = wasmModule();
const max = 1024 * 1024;

test.each([
  ['itself', async () => module],
  ['compressed', async () => gzipSync(module)],
  ['in an archive', async () => tarOf({ 'any.name': module })],
  ['in a compressed archive', async () => gzipSync(await tarOf({ 'a.wasm': module, other: Buffer.from('x') }))],
])('a module %s', async (_, make) => {
  expect(await unpackModule(await make(), max)).toEqual(module);
});

test('what is no archive stays what it is', async () => {
  expect(await unpackModule(Buffer.from('<html>'), max)).toEqual(Buffer.from('<html>'));
});

test('what would be too large is refused before it is', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * max));
  await expect(unpackModule(bomb, max)).rejects.toThrow();
});

test('a layer has it under its name', async () => {
  expect(await unpackLayer(gzipSync(await tarOf({ a: Buffer.from('a'), 'x/plugin.wasm': module })), max)).toEqual(
    module,
  );
  await expect(unpackLayer(gzipSync(await tarOf({ 'plugin.txt': module })), max)).rejects.toThrow('no module');
});

test('any bytes give bytes or an error', async () => {
  const archive = gzipSync(await tarOf({ 'plugin.wasm': module }));
  await fc.assert(
    fc.asyncProperty(fc.nat(archive.length - 1), fc.nat(255), async (at, octet) => {
      const broken = Buffer.from(archive);
      broken[at] = octet;
      const result = await unpackLayer(broken, max).catch(({ message }: Error) => message);
      expect(result.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});
