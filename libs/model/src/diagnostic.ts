/** How much a finding matters: an `error` keeps the object (or the piece it made) out of the mesh, a `warning` does not. */
export type Severity = 'error' | 'warning';

/** The object a finding is about. Cluster-scoped objects and mesh-wide files have an empty namespace. */
export interface ObjectRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * One finding with its place: the same value travels from validation through generation to status, webhook, analyze and
 * explain.
 */
export interface Diagnostic extends ObjectRef {
  readonly severity: Severity;
  /** Stable, kebab-case identifier of the rule, e.g. `unknown-field`. */
  readonly code: string;
  /** Path of the field in JSON names, e.g. `spec.http[0].match[1].uri`; empty when the object as a whole is meant. */
  readonly field: string;
  readonly message: string;
  /** File the object came from, where it came from one. */
  readonly file?: string;
  /** One-based line of the field in that file. */
  readonly line?: number;
}

/** Renders a finding as `error VirtualService shop/web spec.http[0]: message (file:line)`. */
export function formatDiagnostic(d: Diagnostic): string {
  const object = [d.kind, d.namespace ? `${d.namespace}/${d.name}` : d.name].filter(Boolean).join(' ');
  const place = d.file ? ` (${d.file}${d.line ? `:${d.line}` : ''})` : '';
  return `${[d.severity, object, d.field].filter(Boolean).join(' ')}: ${d.message}${place}`;
}
