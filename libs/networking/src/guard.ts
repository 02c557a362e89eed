import { type MessageName, type Messages, validate } from '@kedge/envoy-api';
import type { Diagnostic, ObjectRef } from '@kedge/model';
import { type EncodedPiece, type EncodedResource, encodePiece, encodeResource, type Requirement } from './resource.ts';

/** What a generator made: a resource or a piece of one, or nothing, and what had to be left out on the way. */
export interface Generated<R extends EncodedResource | EncodedPiece = EncodedResource> {
  readonly value?: R;
  readonly diagnostics: readonly Diagnostic[];
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = [];

/**
 * Encodes a resource if Envoy's own rules let it pass; otherwise names those who made it (their objects, the likeliest
 * culprit first) and leaves it out.
 */
export function guardedResource<N extends MessageName>(
  type: N,
  name: string,
  message: Messages[N],
  from: readonly ObjectRef[],
  requires?: readonly Requirement[],
): Generated {
  const diagnostics = violations(type, name, message, from);
  return diagnostics.length > 0
    ? { diagnostics }
    : { value: encodeResource(type, name, message, requires), diagnostics: NO_DIAGNOSTICS };
}

/** The same for a piece. */
export function guardedPiece<N extends MessageName>(
  type: N,
  name: string,
  message: Messages[N],
  from: readonly ObjectRef[],
): Generated<EncodedPiece> {
  const diagnostics = violations(type, name, message, from);
  return diagnostics.length > 0
    ? { diagnostics }
    : { value: encodePiece(type, name, message), diagnostics: NO_DIAGNOSTICS };
}

function violations<N extends MessageName>(
  type: N,
  name: string,
  message: Messages[N],
  from: readonly ObjectRef[],
): readonly Diagnostic[] {
  const found = validate(type, message);
  if (found.length === 0) return NO_DIAGNOSTICS;
  const shortType = type.slice(type.lastIndexOf('.') + 1);
  const places = found.map((violation) => `${violation.path}: ${violation.message}`).join('; ');
  const culprits = from.length > 0 ? from : [{ kind: '', namespace: '', name: '' }];
  return culprits.map(({ kind, namespace, name: object }) => ({
    kind,
    namespace,
    name: object,
    severity: 'error',
    code: 'rejected-by-envoy-rules',
    field: '',
    message: `the ${shortType} "${name}" is left out, for Envoy would refuse it: ${places}`,
  }));
}

/** Equal where the bytes and the findings are: what queries compare by. */
export function sameGenerated(a: Generated<EncodedResource | EncodedPiece>, b: typeof a): boolean {
  return (
    a.value?.version === b.value?.version &&
    a.diagnostics.length === b.diagnostics.length &&
    a.diagnostics.every(({ message, name, namespace, kind }, at) => {
      const other = b.diagnostics[at];
      return message === other?.message && name === other.name && namespace === other.namespace && kind === other.kind;
    })
  );
}
