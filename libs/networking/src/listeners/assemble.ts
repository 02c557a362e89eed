import { encodeParts, type Listener } from '@kedge/envoy-api';
import type { ObjectRef } from '@kedge/model';
import { type Generated, guardedPiece } from '../guard.ts';
import { type EncodedPiece, type Requirement, resourceOfBytes } from '../resource.ts';

const LISTENER = 'envoy.config.listener.v3.Listener';

/**
 * A listener from what it is without its filter chains, and these as they were encoded. Chains that had to be left out are
 * named; a listener without any is nothing.
 */
export function assembledListener(
  listener: Listener & { readonly name: string },
  chains: readonly Generated<EncodedPiece>[],
  from: readonly ObjectRef[],
  requires?: readonly Requirement[],
): Generated {
  const frame = guardedPiece(LISTENER, listener.name, listener, from);
  const diagnostics = [...frame.diagnostics, ...chains.flatMap((chain) => chain.diagnostics)];
  const pieces = chains.flatMap(({ value }) => (value ? [value.bytes] : []));
  if (!frame.value || (pieces.length === 0 && !listener.defaultFilterChain)) return { diagnostics };
  const bytes = encodeParts(LISTENER, frame.value.bytes, 'filterChains', pieces);
  return { value: resourceOfBytes(LISTENER, listener.name, bytes, requires), from, diagnostics };
}
