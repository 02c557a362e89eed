import { expect, test } from '@jest/globals';
import { Answer } from './answer.ts';
import { GeneratorRegistry } from './generator-registry.ts';

const generator = () => ({ generate: () => Answer.empty });
const keys = ['T', 'grpc/T', 'sidecar/T', 'grpc', 'event', 'api'] as const;
const generators = Object.fromEntries(keys.map((key) => [key, generator()]));

/** Which of the registered keys answers. */
function found(
  registered: readonly string[],
  typeUrl: string,
  nodeType: string,
  metadata?: string,
): string | undefined {
  const registry = new GeneratorRegistry(registered.map((key) => [key, generators[key] ?? generator()]));
  const answering = registry.find(typeUrl, { nodeType, generator: metadata });
  return keys.find((key) => generators[key] === answering);
}

test.each([
  [['T', 'sidecar/T', 'grpc/T', 'grpc', 'api'], 'T', 'sidecar', 'grpc', 'grpc/T'],
  [['T', 'sidecar/T', 'grpc/T', 'grpc', 'api'], 'T', 'sidecar', undefined, 'sidecar/T'],
  [['T', 'sidecar/T', 'api'], 'T', 'router', undefined, 'T'],
  [['T', 'grpc'], 'T', 'router', 'grpc', 'T'],
  [['T', 'grpc', 'api'], 'U', 'router', 'grpc', 'grpc'],
  [['T', 'api', 'event'], 'U', 'router', undefined, 'api'],
  [['T', 'api', 'event'], 'istio.io/debug/syncz', 'router', undefined, 'event'],
  [['T'], 'U', 'router', 'unknown', undefined],
])('of %j, %s for a %s with GENERATOR %s is answered by %s', (registered, typeUrl, nodeType, metadata, expected) => {
  expect(found(registered, typeUrl, nodeType, metadata)).toBe(expected);
});

test('a generator that is registered in place of another answers from then on', () => {
  const registry = new GeneratorRegistry([['T', generator()]]);
  const node = { nodeType: 'sidecar' };
  registry.find('T', node);
  const own = generator();
  registry.register('sidecar/T', own);
  expect(registry.find('T', node)).toBe(own);
});
