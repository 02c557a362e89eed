/** A row of a table: its fields by name. */
export type Row = Readonly<Record<string, unknown>>;

/** What a row asks for, and what we have to say. */
export interface Outcome {
  readonly wanted: unknown;
  readonly found: unknown;
}

/** How the rows of a table are run, by file and table. */
export type Tables = Readonly<Record<string, Readonly<Record<string, (row: Row) => Outcome | Promise<Outcome>>>>>;
