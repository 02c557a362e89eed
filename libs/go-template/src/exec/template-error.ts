/** What a template or its use is refused for; the message is Go's, place included. */
export class TemplateError extends Error {
  /** Name of the template as it was parsed. */
  readonly template: string;
  /** From 1; undefined where the error has no place in the text. */
  readonly line: number | undefined;
  /** From 0, in bytes; errors of parsing know only the line. */
  readonly column: number | undefined;

  constructor(
    message: string,
    place: { readonly template: string; readonly line?: number; readonly column?: number },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'TemplateError';
    this.template = place.template;
    this.line = place.line;
    this.column = place.column;
  }
}

/** What a function answers with in place of a value: Go's second result. */
export class FunctionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FunctionError';
  }
}
