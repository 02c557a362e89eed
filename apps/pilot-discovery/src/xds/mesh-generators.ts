import { TYPE_URLS } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { GeneratorRegistry, type XdsGenerator } from '@kedge/xds-core';
import type { MeshClient } from './mesh-client.ts';

export type MeshGenerator = XdsGenerator<PushContext, MeshClient>;
export type MeshGenerators = GeneratorRegistry<PushContext, MeshClient>;

/** The generators of all types that are derived from the mesh; others can be registered beside them. */
export function meshGenerators(): MeshGenerators {
  const generators = Object.values(TYPE_URLS).map((type): readonly [string, MeshGenerator] => [
    type,
    { generate: ({ snapshot, client, subscription }) => client.generate(snapshot, type, subscription) },
  ]);
  return new GeneratorRegistry(generators);
}
