import type { Diagnostic } from '@kedge/model';
import type { Generated, Origin } from '../guard.ts';
import type { EncodedPiece, EncodedResource } from '../resource.ts';
import { type Patch, patchDiagnostic } from './patch.ts';

/** A change that a patch makes: the identical message where it doesn't hit, nothing where it takes the message away. */
export interface Change<M> {
  readonly patch: Patch;
  of(message: M): M | undefined;
}

/** Thrown by a change that cannot be made, with the reason. */
export class PatchError extends Error {}

interface Outcome<M> {
  readonly message: M | undefined;
  /** Where the patches that did something are written. */
  readonly hits: readonly Origin[];
}

/** Makes a resource or piece of a message, or tells what is wrong with that. */
type Make<M, R extends EncodedResource | EncodedPiece> = (message: M, from: readonly Origin[]) => Generated<R>;

/**
 * What becomes of a generated message by a list of changes. A patch that makes of it what Envoy would refuse is left out and
 * named; all others count.
 */
export function patched<M, R extends EncodedResource | EncodedPiece>(
  generated: Generated<R>,
  message: M,
  changes: readonly Change<M>[],
  make: Make<M, R>,
): Generated<R> {
  const from = generated.from ?? [];
  const result = (outcome: Outcome<M>, diagnostics: readonly Diagnostic[]): Generated<R> | undefined => {
    if (outcome.hits.length === 0 && diagnostics.length === 0) return generated;
    if (outcome.message === undefined) return { diagnostics: [...generated.diagnostics, ...diagnostics] };
    const made = make(outcome.message, [...outcome.hits, ...from]);
    return made.value && { ...made, diagnostics: [...generated.diagnostics, ...diagnostics, ...made.diagnostics] };
  };
  const atOnce = attempt(message, changes);
  const all = 'problem' in atOnce ? undefined : result(atOnce, []);
  if (all) return all;

  // Mostly one is at fault; of two that cannot go together it is the later.
  const problem = 'problem' in atOnce ? atOnce.problem : (problemOf(atOnce.message, make) ?? '');
  for (const culprit of changes.toReversed()) {
    const others = attempt(
      message,
      changes.filter((change) => change !== culprit),
    );
    const found = patchDiagnostic(culprit.patch.origin, 'rejected-patch', problem);
    const rest = 'problem' in others ? undefined : result(others, [found]);
    if (rest) return rest;
  }

  const diagnostics: Diagnostic[] = [];
  let outcome: Outcome<M> = { message, hits: [] };
  for (const change of changes) {
    if (outcome.message === undefined) break;
    const next = attempt(outcome.message, [change]);
    const problem = 'problem' in next ? next.problem : problemOf(next.message, make);
    if (problem !== undefined) diagnostics.push(patchDiagnostic(change.patch.origin, 'rejected-patch', problem));
    else if (!('problem' in next)) outcome = { message: next.message, hits: [...outcome.hits, ...next.hits] };
  }
  return result(outcome, diagnostics) ?? { ...generated, diagnostics: [...generated.diagnostics, ...diagnostics] };
}

function attempt<M>(message: M, changes: readonly Change<M>[]): Outcome<M> | { readonly problem: string } {
  const hits = new Map<string, Origin>();
  let current = message;
  for (const change of changes) {
    let next: M | undefined;
    try {
      next = change.of(current);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      return { problem: error.message };
    }
    if (next !== current) hits.set(JSON.stringify(change.patch.origin), change.patch.origin);
    if (next === undefined) return { message: undefined, hits: [...hits.values()] };
    current = next;
  }
  return { message: current, hits: [...hits.values()] };
}

function problemOf<M>(message: M | undefined, make: Make<M, EncodedResource | EncodedPiece>): string | undefined {
  if (message === undefined) return undefined;
  const { value, diagnostics } = make(message, []);
  return value ? undefined : diagnostics.map((found) => found.message).join('; ');
}
