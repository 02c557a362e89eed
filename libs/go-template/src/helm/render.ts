import { TemplateError } from '../exec/template-error.ts';
import { TemplateSet } from '../exec/template-set.ts';
import { toValue } from '../value/convert.ts';
import { GoMap, type Value } from '../value/value.ts';
import { basename } from '../sprig/paths.ts';
import { compareText } from '../text/utf8.ts';
import { type Capabilities, type Chart, type Release } from './chart.ts';
import { coalesceValues } from './coalesce.ts';
import { filesValue } from './files.ts';
import { helmFunctions, templateFunctions, warning, type HelmOptions } from './functions.ts';
import { capabilitiesObject, chartObject, releaseObject, valuesObject } from './objects.ts';

export interface ChartOptions extends HelmOptions {
  readonly release: Release;
  readonly capabilities: Capabilities;
  /** Whether a key that isn't there is an error. */
  readonly strict?: boolean;
}

interface Renderable {
  readonly path: string;
  readonly text: string;
  readonly basePath: string;
  readonly scope: GoMap;
}

const isUsed = ({ metadata }: Chart, path: string): boolean =>
  metadata.type?.toLowerCase() !== 'library' || basename(path).startsWith('_');

interface Shared {
  readonly release: Value;
  readonly capabilities: Value;
}

/** Templates of a chart and of those it depends on, each with what `.` is in it. */
const collect = (
  chart: Chart,
  path: string,
  values: Value,
  shared: Shared,
  isRoot: boolean,
  into: Renderable[],
): GoMap => {
  const subcharts = new GoMap([]);
  const scope = valuesObject([
    ['Chart', chartObject(chart.metadata, isRoot)],
    ['Files', filesValue(chart.files ?? new Map())],
    ['Release', shared.release],
    ['Capabilities', shared.capabilities],
    ['Values', values instanceof GoMap ? valuesObject(values.entries) : valuesObject([])],
    ['Subcharts', subcharts],
  ]);
  for (const dependency of chart.dependencies ?? []) {
    const { name } = dependency.metadata;
    const own = values instanceof GoMap ? values.entries.get(name) : undefined;
    subcharts.entries.set(name, collect(dependency, `${path}/charts/${name}`, own, shared, false, into));
  }
  for (const [file, text] of chart.templates) {
    if (isUsed(chart, file)) into.push({ path: `${path}/${file}`, text, basePath: `${path}/templates`, scope });
  }
  return scope;
};

const depth = (path: string): number => path.split('/').length;

/** Deepest first, so that a chart's definitions take the place of its dependencies'. */
const parseOrder = (left: Renderable, right: Renderable): number =>
  depth(right.path) - depth(left.path) || compareText(right.path, left.path);

const parseError = (path: string, error: TemplateError): TemplateError => {
  const parts = error.message.split(': ');
  const message =
    parts.length === 1 ? `parse error in (${path}): ${error.message}` : `parse error at (${parts[1]}): ${parts.at(-1)}`;
  return new TemplateError(message, error, { cause: error });
};

/** An error that the chart raises itself is told in its own words. */
const executionError = (error: TemplateError): TemplateError => {
  const { message } = error;
  const [start, end] = [message.indexOf(warning.start), message.lastIndexOf(warning.end)];
  const location = message.split(': ')[1];
  if (location === undefined || start < 0 || end < start) return error;
  const own = message.slice(start + warning.start.length, end);
  return new TemplateError(`execution error at (${location}): ${own}`, error, { cause: error });
};

const orFail = <T>(action: () => T, explain: (error: TemplateError) => TemplateError): T => {
  try {
    return action();
  } catch (error) {
    throw error instanceof TemplateError ? explain(error) : error;
  }
};

/**
 * What Helm makes of a chart: the output of each template by its path, which begins with the chart's name. Throws a
 * TemplateError with Helm's message.
 */
export const renderChart = (
  chart: Chart,
  values: Readonly<Record<string, unknown>>,
  options: ChartOptions,
): ReadonlyMap<string, string> => {
  const renderables: Renderable[] = [];
  const shared = { release: releaseObject(options.release), capabilities: capabilitiesObject(options.capabilities) };
  collect(chart, chart.metadata.name, toValue(coalesceValues(chart, values)), shared, true, renderables);
  renderables.sort(parseOrder);

  const set = new TemplateSet({
    name: 'gotpl',
    missingKey: options.strict === true ? 'error' : 'zero',
    functions: helmFunctions(options),
  });
  set.addFunctions(templateFunctions(set));
  for (const { path, text } of renderables) {
    orFail(
      () => set.parse(path, text),
      (error) => parseError(path, error),
    );
  }
  const rendered = new Map<string, string>();
  for (const { path, basePath, scope } of renderables) {
    if (basename(path).startsWith('_')) continue;
    scope.entries.set(
      'Template',
      valuesObject([
        ['Name', path],
        ['BasePath', basePath],
      ]),
    );
    const output = orFail(() => set.execute(path, scope), executionError);
    rendered.set(path, output.replaceAll('<no value>', ''));
  }
  return rendered;
};
