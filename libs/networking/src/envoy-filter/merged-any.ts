import { type Any, merge, type TransportSocket } from '@kedge/envoy-api';
import { PatchError } from './patched.ts';

/** Two configurations of one extension merged. */
function mergedAny(base: Any, patch: Any): Any {
  if (base['@type'] !== patch['@type']) {
    throw new PatchError(`a ${patch['@type']} can't be merged into a ${base['@type']}`);
  }
  return merge('google.protobuf.Any', base, patch);
}

/** Merged unpacked where both are of one name; otherwise the patch's takes the place. */
export function mergedSocket(base: TransportSocket | undefined, patch: TransportSocket): TransportSocket {
  if (!base || base.name !== patch.name) return patch;
  if (!base.typedConfig || !patch.typedConfig) return base;
  return { ...base, typedConfig: mergedAny(base.typedConfig, patch.typedConfig) };
}

interface Filter {
  readonly name?: string;
  readonly typedConfig?: Any;
}

/** A filter with a new name, or its configuration merged, or both. One that is fetched by name has nothing to merge into. */
export function mergedFilter<F extends Filter>(filter: F, { name, typedConfig }: Filter): F {
  if (!filter.typedConfig) return filter;
  return {
    ...filter,
    ...(name ? { name } : {}),
    ...(typedConfig ? { typedConfig: mergedAny(filter.typedConfig, typedConfig) } : {}),
  };
}
