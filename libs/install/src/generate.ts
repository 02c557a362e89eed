import {
  ChartError,
  type Chart,
  defaultCapabilities,
  manifestObjects,
  renderChart,
  type RenderedFile,
} from '@kedge/helm';
import type { JsonObject } from '@kedge/model';
import { componentValues } from './component-values.ts';
import { type ComponentInstance, components, instancesOf } from './components.ts';
import { InstallError } from './install-error.ts';
import { applyK8sSettings } from './k8s-settings.ts';
import { definitionIn, type Manifest, manifestOf } from './manifest.ts';
import type { Operator } from './merge-inputs.ts';
import { child, overlay } from './tree.ts';

/** The oldest Kubernetes that is supported: what charts are told when no cluster is asked. */
const MIN_KUBERNETES = 'v1.32.0';

/** Every chart is rendered under this name of a release, whatever it is of. */
const RELEASE = 'istio';

export interface GenerateOptions {
  /** The chart of a folder below the charts, e.g. `istio-control/istio-discovery`; undefined where there is none. */
  readonly charts: (folder: string) => Chart | undefined;
  readonly kubernetesVersion?: string;
}

/** What one instance of a component comes to. */
export interface ComponentManifests {
  readonly instance: ComponentInstance;
  /** What its chart was given. */
  readonly values: JsonObject;
  /** What its chart gives, and what became of that by the settings of `k8s`. */
  readonly rendered: readonly Manifest[];
  readonly manifests: readonly Manifest[];
  readonly warnings: readonly string[];
}

/** The objects of everything that is enabled. Throws an InstallError, or the errors of charts and templates. */
export function generateManifests(operator: Operator, options: GenerateOptions): readonly ComponentManifests[] {
  const shared = overlay(child(operator.spec, 'values'), child(operator.spec, 'unvalidatedValues'));
  return components.flatMap((component) =>
    instancesOf(component, operator).map((instance) => renderInstance(instance, shared, options)),
  );
}

function renderInstance(instance: ComponentInstance, shared: JsonObject, options: GenerateOptions): ComponentManifests {
  const { component, namespace } = instance;
  const chart = options.charts(component.chart);
  if (chart === undefined)
    throw new InstallError(`there is no chart ${component.chart} for component ${component.name}`);
  const values = componentValues(shared, instance);
  const capabilities = defaultCapabilities(options.kubernetesVersion ?? MIN_KUBERNETES);
  const files = inChart(component.chart, () => renderChart(chart, { name: RELEASE, namespace }, values, capabilities));
  const rendered = inChart(component.chart, () => files.flatMap(manifestsIn));
  const notes = files.filter(({ file }) => file.endsWith('.txt')).flatMap(({ text }) => warningsOf(text));
  const { manifests, warnings } = applyK8sSettings(rendered, instance, values);
  return { instance, values, rendered, manifests, warnings: [...notes, ...warnings] };
}

/**
 * The objects of a rendered file; a document without a kind is none. Documents are trimmed, so that text at the end of one has
 * no line break, as with Istio's command.
 */
function manifestsIn({ file, text }: RenderedFile): readonly Manifest[] {
  return text.split(/^---(?:[ \t].*)?$/m).flatMap((untrimmed) => {
    const document = untrimmed.trim();
    const parse = (part: string) => manifestObjects([{ file, text: part }]) as readonly JsonObject[];
    const definition = definitionIn(document, (part) => parse(part)[0] ?? {});
    return definition
      ? [definition]
      : parse(document)
          .filter(({ kind }) => typeof kind === 'string')
          .map(manifestOf);
  });
}

function inChart<T>(chart: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof ChartError ? new InstallError(`chart ${chart}: ${error.message}`) : error;
  }
}

const WARNING = 'WARNING: ';

const warningsOf = (notes: string): readonly string[] =>
  notes
    .split('\n')
    .filter((line) => line.startsWith(WARNING))
    .map((line) => line.slice(WARNING.length));
