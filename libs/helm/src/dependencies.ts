import { ChartError } from './chart-error.ts';
import type { Chart, Values } from './chart.ts';
import { isValues, valueAt } from './values.ts';

type Declared = NonNullable<Chart['metadata']['dependencies']>[number] & {
  readonly tags?: readonly string[];
  readonly 'import-values'?: readonly unknown[];
};

/**
 * The chart with those dependencies that its values switch on, under their aliases. One that Chart.yaml does not name is always
 * used. `coalesce` gives a chart's values with its defaults.
 */
export function withEnabledDependencies(chart: Chart, values: Values, tags: Values = tagsOf(values)): Chart {
  const declared = (chart.metadata.dependencies ?? []) as readonly Declared[];
  const undeclared = (chart.dependencies ?? []).filter(
    ({ metadata }) => !declared.some(({ name }) => name === metadata.name),
  );
  const enabled = declared
    .filter((dependency) => isEnabled(dependency, values, tags))
    .map((found) => named(chart, found));
  return {
    ...chart,
    dependencies: [...undeclared, ...enabled].map((dependency) => {
      const own = values[dependency.metadata.name];
      return withEnabledDependencies(dependency, { ...dependency.values, ...(isValues(own) && own) }, tags);
    }),
  };
}

const tagsOf = ({ tags }: Values): Values => (isValues(tags) ? tags : {});

function named(chart: Chart, { name, alias, 'import-values': imports = [] }: Declared): Chart {
  const found = chart.dependencies?.find(({ metadata }) => metadata.name === name);
  if (found === undefined)
    throw new ChartError(`found in Chart.yaml, but missing in charts/ directory: ${name ?? 'a chart without a name'}`);
  if (imports.length > 0) throw new ChartError(`dependency ${found.metadata.name}: import-values is not supported`);
  return alias === undefined ? found : { ...found, metadata: { ...found.metadata, name: alias } };
}

/** The first condition that is a boolean decides; without one, a tag that is on, then a tag that is off. */
function isEnabled({ condition = '', tags = [] }: Declared, values: Values, given: Values): boolean {
  const verdict = condition
    .split(',')
    .map((path) => valueAt(values, path.trim()))
    .find((value) => typeof value === 'boolean');
  if (verdict !== undefined) return verdict;
  const states = tags.map((tag) => given[tag]).filter((state) => typeof state === 'boolean');
  return states.length === 0 || states.includes(true);
}
