import { type Chart } from './chart.ts';

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

const copy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copy);
  return isTree(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)])) : value;
};

/** Given values over defaults, map by map; a null takes a default away. */
const over = (given: Tree, defaults: Tree): Tree => {
  const merged: Tree = { ...(copy(defaults) as Tree) };
  for (const [key, value] of Object.entries(given)) {
    const usual = merged[key];
    if (value === null && Object.hasOwn(merged, key)) delete merged[key];
    else merged[key] = isTree(value) && isTree(usual) ? over(value, usual) : copy(value);
  }
  return merged;
};

/**
 * The values of a chart and of those it depends on: what is given, over the chart's own values, over its dependencies'. A
 * dependency sees those under its name, and `global`.
 */
export const coalesceValues = (chart: Chart, given: Readonly<Tree>): Tree => {
  const values = over(given, chart.values ?? {});
  for (const dependency of chart.dependencies ?? []) {
    const { name } = dependency.metadata;
    const own = isTree(values[name]) ? values[name] : {};
    const globals = isTree(values['global']) ? values['global'] : {};
    const global = over(globals, isTree(own['global']) ? own['global'] : {});
    values[name] = coalesceValues(dependency, { ...own, global });
  }
  return values;
};
