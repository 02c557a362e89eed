import type { MeshRead } from '@kedge/config';
import { envoyFilterPatches } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { type Generated, guardedResource } from '../guard.ts';
import { patchesOf } from './patch.ts';

/**
 * The configuration of an extension that a listener names and Envoy fetches by itself. Of several that patches add by one name
 * the first counts; where the listener is plays no part.
 */
export const extensionConfig = encodedQuery(
  'extensionConfig',
  (read: MeshRead, name: string): Generated | undefined => {
    const patches = patchesOf(read, read(envoyFilterPatches, 'extensions'), 'EXTENSION_CONFIG');
    const patch = patches.find(({ operation, value }) => operation === 'ADD' && value.name === name);
    return patch && guardedResource('envoy.config.core.v3.TypedExtensionConfig', name, patch.value, [patch.origin]);
  },
);
