import type { Diagnostic, ObjectRef, Severity } from '../diagnostic.ts';
import { type FieldPath, formatPath } from './field-path.ts';
import type { Finding } from './findings.ts';

/** Where an object was read, for the places in its diagnostics. */
export interface Where {
  readonly file: string;
  /** One-based line of a field, or of the nearest one around it that is there. */
  lineOf(path: FieldPath): number | undefined;
}

/** Turns the findings about one object into its diagnostics. */
export class Reporter {
  readonly #object: ObjectRef;
  readonly #where: Where | undefined;
  readonly #diagnostics: Diagnostic[] = [];

  constructor(object: ObjectRef, where: Where | undefined) {
    this.#object = object;
    this.#where = where;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  add(severity: Severity, { code, path, message }: Finding): void {
    const diagnostic: Diagnostic = { severity, code, ...this.#object, field: formatPath(path), message };
    if (this.#where === undefined) {
      this.#diagnostics.push(diagnostic);
    } else {
      const line = this.#where.lineOf(path);
      this.#diagnostics.push({ ...diagnostic, file: this.#where.file, ...(line !== undefined && { line }) });
    }
  }

  addAll(severity: Severity, below: FieldPath, findings: readonly Finding[]): void {
    for (const finding of findings) this.add(severity, { ...finding, path: [...below, ...finding.path] });
  }
}
