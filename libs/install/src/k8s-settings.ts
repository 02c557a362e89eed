import { strategicMerge } from '@kedge/inject';
import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import type { Component, ComponentInstance } from './components.ts';
import { InstallError } from './install-error.ts';
import { kindOf, type Manifest, nameOf } from './manifest.ts';
import { applyOverlayPatch, type OverlayPatch } from './overlay-patch.ts';
import { child, textAt } from './tree.ts';

/** What became of a component's objects, and overlays that could not be applied. */
export interface Finished {
  readonly manifests: readonly Manifest[];
  readonly warnings: readonly string[];
}

/** Applies the settings that a component has below `k8s` to the objects of its chart. */
export function applyK8sSettings(
  manifests: readonly Manifest[],
  instance: ComponentInstance,
  values: JsonObject,
): Finished {
  const patches = settingPatches(instance, nameOfObjects(instance, values));
  const warnings: string[] = [];
  const patched = manifests.map((manifest) => {
    const settled = patches
      .filter(({ kind, name }) => kind === kindOf(manifest) && name === nameOf(manifest))
      .reduce<JsonObject>(
        (object, { patch }) => strategicMerge(object as never, patch as never) as JsonObject,
        manifest,
      );
    return applyOverlays(oneDisruptionLimit(settled, instance), instance, warnings);
  });
  return { manifests: patched, warnings };
}

/** The name that the workload of a component and what belongs to it have. */
function nameOfObjects({ component, name }: ComponentInstance, values: JsonObject): string {
  const base = name || (component.workload?.name ?? '');
  const revision = textAt(values, 'revision') || 'default';
  return component.key === 'pilot' && revision !== 'default' ? `${base}-${revision}` : base;
}

type Place = 'template' | 'pod' | 'container' | 'workload' | 'autoscaler' | 'budget' | 'service' | 'serviceMetadata';

/** Settings, and the field that they are at a place in the objects; without a field they are all of what is there. */
const SETTINGS: Readonly<Record<string, readonly [Place, string?]>> = {
  affinity: ['pod', 'affinity'],
  env: ['container', 'env'],
  hpaSpec: ['autoscaler'],
  imagePullPolicy: ['container', 'imagePullPolicy'],
  nodeSelector: ['pod', 'nodeSelector'],
  podAnnotations: ['template', 'annotations'],
  podDisruptionBudget: ['budget'],
  priorityClassName: ['pod', 'priorityClassName'],
  readinessProbe: ['container', 'readinessProbe'],
  replicaCount: ['workload', 'replicas'],
  resources: ['container', 'resources'],
  securityContext: ['pod', 'securityContext'],
  service: ['service'],
  serviceAnnotations: ['serviceMetadata', 'annotations'],
  strategy: ['workload', 'strategy'],
  tolerations: ['pod', 'tolerations'],
};

interface Target {
  readonly kind: string;
  readonly name: string;
  readonly patch: JsonObject;
}

function settingPatches({ component, k8s }: ComponentInstance, name: string): readonly Target[] {
  return Object.entries(SETTINGS).flatMap(([setting, [place, field]]) => {
    const value = k8s[setting];
    if (value === undefined) return [];
    // Ports of a gateway are values of its chart, as its pods have them too.
    const { ports: _, ...service } = isJsonObject(value) ? value : {};
    const content = setting === 'service' && component.isGateway ? service : value;
    const target = PLACES[place](field === undefined ? content : { [field]: content }, component);
    return target === undefined ? [] : [{ ...target, name }];
  });
}

type PlaceTarget = (content: Json, component: Component) => Omit<Target, 'name'> | undefined;

const inWorkload =
  (wrap: (content: Json, container: string) => JsonObject): PlaceTarget =>
  (content, { workload }) =>
    workload && { kind: workload.kind, patch: { spec: wrap(content, workload.container) } };

const PLACES: Readonly<Record<Place, PlaceTarget>> = {
  workload: inWorkload((content) => content as JsonObject),
  template: inWorkload((metadata) => ({ template: { metadata } })),
  pod: inWorkload((spec) => ({ template: { spec } })),
  container: inWorkload((content, name) => ({
    template: { spec: { containers: [{ name, ...(content as JsonObject) }] } },
  })),
  autoscaler: (spec) => ({ kind: 'HorizontalPodAutoscaler', patch: { spec } }),
  budget: (spec) => ({ kind: 'PodDisruptionBudget', patch: { spec } }),
  service: (spec) => ({ kind: 'Service', patch: { spec } }),
  serviceMetadata: (metadata) => ({ kind: 'Service', patch: { metadata } }),
};

/** A budget says one of two limits; that of the user takes the place of the chart's. */
function oneDisruptionLimit(manifest: Manifest, { k8s }: ComponentInstance): Manifest {
  const spec = child(manifest, 'spec');
  if (kindOf(manifest) !== 'PodDisruptionBudget' || k8s.podDisruptionBudget === undefined) return manifest;
  if (spec.maxUnavailable === undefined || spec.minAvailable === undefined) return manifest;
  const { minAvailable: _, ...limited } = spec;
  return { ...manifest, spec: limited };
}

/** An overlay that leads nowhere leaves the object as it is, which is told. */
function applyOverlays(manifest: Manifest, { k8s, component }: ComponentInstance, warnings: string[]): Manifest {
  const overlays = Array.isArray(k8s.overlays) ? k8s.overlays.filter(isJsonObject) : [];
  const fitting = overlays.filter(({ kind, name }) => kind === kindOf(manifest) && name === nameOf(manifest));
  return fitting
    .flatMap(({ patches }) => (Array.isArray(patches) ? patches : []))
    .reduce<Manifest>((object, patch) => {
      try {
        return applyOverlayPatch(object, patch as OverlayPatch);
      } catch (error) {
        if (!(error instanceof InstallError)) throw error;
        warnings.push(
          `components.${component.key}.k8s.overlays: ${kindOf(manifest)} ${nameOf(manifest)}: ${error.message}`,
        );
        return object;
      }
    }, manifest);
}
