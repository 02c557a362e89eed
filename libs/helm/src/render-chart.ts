import { coalesceValues, renderChart as renderTemplates, type Capabilities, type Release } from '@kedge/go-template';
import type { Chart, Values } from './chart.ts';
import { withEnabledDependencies } from './dependencies.ts';
import { checkValues } from './schema.ts';

/** What one template of a chart gives; `templates/NOTES.txt` among them. */
export interface RenderedFile {
  /** Path in the chart, e.g. `templates/service.yaml`. */
  readonly file: string;
  readonly text: string;
}

/**
 * What Helm makes of a chart and the values of a user, in the order of the paths. Throws a ChartError about the values, and the
 * TemplateError of a template.
 */
export function renderChart(
  chart: Chart,
  release: Release,
  values: Values,
  capabilities: Capabilities,
): readonly RenderedFile[] {
  const enabled = withEnabledDependencies(chart, coalesceValues(chart, values));
  checkValues(enabled, coalesceValues(enabled, values));
  const rendered = renderTemplates(enabled, values, { release, capabilities });
  const root = `${chart.metadata.name}/`.length;
  return [...rendered]
    .map(([path, text]) => ({ file: path.slice(root), text }))
    .sort((left, right) => (left.file < right.file ? -1 : 1));
}
