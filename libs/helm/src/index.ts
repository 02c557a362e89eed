export { type Capabilities, type Release } from '@kedge/go-template';
export { defaultCapabilities } from './capabilities.ts';
export { ChartError } from './chart-error.ts';
export { type Chart, type Values } from './chart.ts';
export { loadChart } from './load-chart.ts';
export { manifestObjects } from './manifest-objects.ts';
export { renderChart, type RenderedFile } from './render-chart.ts';
