import type { Severity } from '../diagnostic.ts';
import type { FieldPath } from '../parse/field-path.ts';

/** What is wrong at a place of an object. */
export interface Issue {
  readonly severity: Severity;
  readonly code: string;
  readonly path: FieldPath;
  readonly message: string;
}

/** What is wrong with a value, in words that follow its field's name; undefined when nothing is. */
export type Problem = string | undefined;

/** A rule set for one type of value. */
export type Validator<T> = (issues: Issues, value: T) => void;

/** Collects issues at a field of an object. All scopes of one object share their collection. */
export class Issues {
  readonly #found: Issue[];
  readonly #path: FieldPath;
  readonly #warnings: boolean;

  private constructor(found: Issue[], path: FieldPath, warnings: boolean) {
    this.#found = found;
    this.#path = path;
    this.#warnings = warnings;
  }

  /** Runs rules and gives what they found, in that order. */
  static collect(root: FieldPath, rules: (issues: Issues) => void): readonly Issue[] {
    const found: Issue[] = [];
    rules(new Issues(found, root, true));
    return found;
  }

  /** The same collection at a field below. */
  at(...path: FieldPath): Issues {
    return new Issues(this.#found, [...this.#path, ...path], this.#warnings);
  }

  /** The same collection at the object itself, beside its spec. */
  get object(): Issues {
    return new Issues(this.#found, [], this.#warnings);
  }

  /** The same place without warnings: Istio gives none in some parts of its objects. */
  get errorsOnly(): Issues {
    return new Issues(this.#found, this.#path, false);
  }

  error(code: string, message: string): void {
    this.#found.push({ severity: 'error', code, path: this.#path, message });
  }

  warn(code: string, message: string): void {
    if (this.#warnings) this.#found.push({ severity: 'warning', code, path: this.#path, message });
  }

  /** An error if there is a problem. */
  check(code: string, problem: Problem): void {
    if (problem !== undefined) this.error(code, problem);
  }

  /** An error if the condition holds. */
  errorIf(condition: boolean, code: string, message: string): void {
    if (condition) this.error(code, message);
  }

  /** A warning if the condition holds. */
  warnIf(condition: boolean, code: string, message: string): void {
    if (condition) this.warn(code, message);
  }

  /** An error at each of the named fields that is there and has a problem. */
  checkFields<T extends object, K extends keyof T & string>(
    message: T,
    fields: readonly K[],
    code: string,
    problem: (value: NonNullable<T[K]>) => Problem,
  ): void {
    for (const field of fields) {
      const value = message[field];
      if (value !== undefined && value !== null) this.at(field).check(code, problem(value));
    }
  }

  /** Applies rules to a field that is there. */
  field<T>(name: string, value: T | undefined, validate: Validator<T>): void {
    if (value !== undefined) validate(this.at(name), value);
  }

  /** Applies rules to each item of a list. */
  each<T>(name: string, items: readonly T[], validate: (issues: Issues, item: T, index: number) => void): void {
    items.forEach((item, index) => validate(this.at(name, index), item, index));
  }

  /** Applies rules to each entry of a map. */
  entries<T>(
    name: string,
    map: Readonly<Record<string, T>>,
    validate: (issues: Issues, value: T, key: string) => void,
  ): void {
    for (const [key, value] of Object.entries(map)) validate(this.at(name, key), value, key);
  }
}

/** Quotes a user's text for a message, shortened where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 97)}...` : text);
}
