import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@kedge/model';
import { applyOverlayPatch } from './overlay-patch.ts';

const deployment = {
  spec: {
    containers: [
      { name: 'a', args: ['--age', '30m'], env: [{ name: 'X', value: '1' }], ports: [{ containerPort: 8080 }] },
      { name: 'b' },
    ],
  },
};
const [a, b] = deployment.spec.containers;
const withA = (changes: object) => ({ spec: { containers: [{ ...a, ...changes }, b] } });

describe('a patch of an overlay', () => {
  test.each([
    ['spec.containers.[name:a].args.[30m]', '60m', withA({ args: ['--age', '60m'] })],
    ['spec.containers.[name:a].args.[:30m]', '60m', withA({ args: ['--age', '60m'] })],
    ['spec.containers.[name:a].args.[-1]', 'x', withA({ args: ['--age', '30m', 'x'] })],
    ['spec.containers[0].args[0]', '--old', withA({ args: ['--old', '30m'] })],
    [
      'spec.containers.[name:a].ports.[containerPort:8080].containerPort',
      1234,
      withA({ ports: [{ containerPort: 1234 }] }),
    ],
    ['spec.containers.[name:a].env.[name:X]', undefined, withA({ env: [] })],
    ['spec.containers.[name:a].env.[name:X]', { name: 'Y' }, withA({ env: [{ name: 'Y' }] })],
    [
      'spec.containers.[name:a].env.[name:X].valueFrom',
      'fieldRef:\n  path: p\n',
      withA({ env: [{ name: 'X', value: '1', valueFrom: { fieldRef: { path: 'p' } } }] }),
    ],
    ['spec.containers.[name:a].config', '{"a": 1}', withA({ config: '{"a": 1}' })],
    ['spec.containers.[name:a].url', 'http://x', withA({ url: 'http://x' })],
    ['spec.new.deep', true, { spec: { ...deployment.spec, new: { deep: true } } }],
    ['spec.list.[0].name', 'x', { spec: { ...deployment.spec, list: [{ name: 'x' }] } }],
    ['metadata.annotations.a\\.b/c', 'x', { ...deployment, metadata: { annotations: { 'a.b/c': 'x' } } }],
    ['spec', undefined, {}],
    ['spec.absent', undefined, deployment],
  ])('%s = %j', (path, value, expected) => {
    expect(
      applyOverlayPatch(deployment as unknown as JsonObject, { path, ...(value !== undefined && { value }) }),
    ).toEqual(expected);
  });

  test.each([
    ['spec.containers.[name:c].args', 'element [name:c] not found'],
    ['spec.containers.first', 'element first not found'],
    ['spec.containers.[name:a].name.x', 'x is looked for in a single value'],
    ['spec.[0]', '[0] is looked for in an object'],
    ['', 'no path'],
  ])('%s leads nowhere', (path, message) => {
    expect(() => applyOverlayPatch(deployment as unknown as JsonObject, { path, value: 1 })).toThrow(message);
  });
});
