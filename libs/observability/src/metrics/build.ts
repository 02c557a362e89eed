import { type BuildInfo } from '../version.ts';
import { type MetricRegistry } from './registry.ts';

/** Tells by the metric `istio_build` which component was built from what. */
export function recordBuild(registry: MetricRegistry, component: string, info: BuildInfo): void {
  const { istio_build } = registry.register({
    istio_build: { kind: 'gauge', help: 'what this component was built from', labels: ['component', 'tag'] },
  });
  istio_build.set(1, { component, tag: info.tag });
}
