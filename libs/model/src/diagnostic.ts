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
export const formatDiagnostic = (diagnostic: Diagnostic): string => format(diagnostic, [diagnostic.severity]);

/** The same without the severity, for where that is told otherwise. */
export const formatFinding = (diagnostic: Diagnostic): string => format(diagnostic, []);

function format({ kind, namespace, name, field, message, file, line }: Diagnostic, before: readonly string[]): string {
  const subject = [...before, kind, namespace ? `${namespace}/${name}` : name, field].filter(Boolean).join(' ');
  const place = file ? ` (${file}${line ? `:${line}` : ''})` : '';
  return `${subject ? `${subject}: ` : ''}${message}${place}`;
}
