/** Stands for the value of a query that threw; readers get the error, and the reads that led to it stay recorded. */
export class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}
