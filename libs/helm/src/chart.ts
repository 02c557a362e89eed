import type { Chart as TemplateChart } from '@kedge/go-template';

/** Values of a chart: what YAML can hold. */
export type Values = Readonly<Record<string, unknown>>;

/** A chart in memory, with the charts it depends on. Paths are relative to its folder. */
export interface Chart extends TemplateChart {
  /** The JSON schema that values must meet, of values.schema.json. */
  readonly schema?: Values;
  readonly dependencies?: readonly Chart[];
}
