import { strategicMerge } from '@kedge/inject';
import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import type { Component, ComponentInstance } from './components.ts';
import { InstallError } from './install-error.ts';
import { type Manifest, manifestOf } from './manifest.ts';
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
  const overlays = overlaysOf(instance);
  const patched = manifests.map((manifest) => {
    const isMeant = ({ kind, name }: { readonly kind?: Json; readonly name?: Json }): boolean =>
      kind === manifest.kind && name === manifest.name;
    const [ownPatches, ownOverlays] = [patches.filter(isMeant), overlays.filter(isMeant)];
    if (ownPatches.length + ownOverlays.length === 0) return manifest;
    const settled = ownPatches.reduce((object, { patch }) => mergePatch(object, patch), manifest.object);
    return manifestOf(applyOverlays(oneDisruptionLimit(settled, instance), ownOverlays, instance, warnings));
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

const mergePatch = (object: JsonObject, patch: JsonObject): JsonObject =>
  strategicMerge(object as never, patch as never) as JsonObject;

/** A budget says one of two limits; that of the user takes the place of the chart's. */
function oneDisruptionLimit(object: JsonObject, { k8s }: ComponentInstance): JsonObject {
  const spec = child(object, 'spec');
  if (object.kind !== 'PodDisruptionBudget' || k8s.podDisruptionBudget === undefined) return object;
  if (spec.maxUnavailable === undefined || spec.minAvailable === undefined) return object;
  const { minAvailable: _, ...limited } = spec;
  return { ...object, spec: limited };
}

const overlaysOf = ({ k8s }: ComponentInstance): readonly JsonObject[] =>
  Array.isArray(k8s.overlays) ? k8s.overlays.filter(isJsonObject) : [];

/** An overlay that leads nowhere leaves the object as it is, which is told. */
function applyOverlays(
  object: JsonObject,
  overlays: readonly JsonObject[],
  { component }: ComponentInstance,
  warnings: string[],
): JsonObject {
  const patches = overlays.flatMap((overlay) => (Array.isArray(overlay.patches) ? overlay.patches : []));
  return patches.reduce<JsonObject>((changed, patch) => {
    try {
      return applyOverlayPatch(changed, patch as OverlayPatch);
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      const subject = `${textAt(object, 'kind')} ${textAt(object, 'metadata', 'name')}`;
      warnings.push(`components.${component.key}.k8s.overlays: ${subject}: ${error.message}`);
      return changed;
    }
  }, object);
}
