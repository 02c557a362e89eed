import { type MessageName, type Messages, validate, type Violation } from '@kedge/envoy-api';
import type { Diagnostic, ObjectRef } from '@kedge/model';
import { ENVOY_RULES } from './envoy-rules/envoy-rules.ts';
import { type EncodedPiece, type EncodedResource, encodePiece, encodeResource, type Requirement } from './resource.ts';

/** An object, and the field of it, that something was made from. */
export interface Origin extends ObjectRef {
  /** As in `spec.http[0]`; absent where the object as a whole is meant. */
  readonly field?: string;
}

/** What a generator made: a resource or a piece of one, or nothing, and what had to be left out on the way. */
export interface Generated<R extends EncodedResource | EncodedPiece = EncodedResource> {
  readonly value?: R;
  /** What it was made from, as far as the generator knows, the likeliest to be at fault first. */
  readonly from?: readonly Origin[];
  readonly diagnostics: readonly Diagnostic[];
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = [];

/** A place in a message, and what is wrong there. */
export type Finding = Pick<Violation, 'path' | 'message'>;

/**
 * Encodes a resource if Envoy's own rules let it pass; otherwise names those who made it (their objects, the likeliest
 * culprit first) and leaves it out. `further` are findings by rules that the message's type doesn't state.
 */
export function guardedResource<N extends MessageName>(
  type: N,
  name: string,
  message: Messages[N],
  from: readonly Origin[],
  requires?: readonly Requirement[],
  further: readonly Finding[] = [],
): Generated {
  const findings = [...validate(type, message, ENVOY_RULES), ...further];
  return guarded(type, name, from, findings, () => encodeResource(type, name, message, requires));
}

/** The same for a piece. */
export function guardedPiece<N extends MessageName>(
  type: N,
  name: string,
  message: Messages[N],
  from: readonly Origin[],
  further: readonly Finding[] = [],
): Generated<EncodedPiece> {
  const findings = [...validate(type, message, ENVOY_RULES), ...further];
  return guarded(type, name, from, findings, () => encodePiece(type, name, message));
}

function guarded<R extends EncodedResource | EncodedPiece>(
  type: MessageName,
  name: string,
  from: readonly Origin[],
  findings: readonly Finding[],
  encode: () => R,
): Generated<R> {
  if (findings.length > 0) return { diagnostics: refusal(type, name, from, findings) };
  try {
    return { value: encode(), ...(from.length > 0 ? { from } : {}), diagnostics: NO_DIAGNOSTICS };
  } catch (error) {
    // A value that its field cannot hold, such as a negative weight.
    if (!(error instanceof TypeError)) throw error;
    return { diagnostics: refusal(type, name, from, [{ path: '', message: error.message }]) };
  }
}

function refusal(
  type: MessageName,
  name: string,
  from: readonly Origin[],
  findings: readonly Finding[],
): readonly Diagnostic[] {
  const shortType = type.slice(type.lastIndexOf('.') + 1);
  const places = findings.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  const culprits = from.length > 0 ? from : [{ kind: '', namespace: '', name: '' }];
  return culprits.map(({ kind, namespace, name: object, field = '' }: Origin) => ({
    kind,
    namespace,
    name: object,
    severity: 'error',
    code: 'rejected-by-envoy-rules',
    field,
    message: `the ${shortType} "${name}" is left out, for Envoy would refuse it: ${places}`,
  }));
}

const TOLD_BY = ['message', 'field', 'name', 'namespace', 'kind'] as const satisfies readonly (keyof Diagnostic)[];

/** Equal where the bytes, their origins and the findings are: what queries compare by. */
export function sameGenerated(a: Generated<EncodedResource | EncodedPiece>, b: typeof a): boolean {
  return (
    a.value?.version === b.value?.version &&
    sameOrigins(a.from ?? NOWHERE, b.from ?? NOWHERE) &&
    a.diagnostics.length === b.diagnostics.length &&
    a.diagnostics.every((diagnostic, at) => TOLD_BY.every((field) => diagnostic[field] === b.diagnostics[at]?.[field]))
  );
}

const NOWHERE: readonly Origin[] = [];

/** Whether something was made from the same fields of the same objects. */
export function sameOrigins(a: readonly Origin[], b: readonly Origin[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every(({ field, name, namespace, kind }, at) => {
      const other = b[at];
      return field === other?.field && name === other?.name && namespace === other.namespace && kind === other.kind;
    })
  );
}
