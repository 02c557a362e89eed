import { findContainer, GROUPS, mapContainers, PROXY } from './containers.ts';
import { type JsonObject, strategicMerge } from './merge.ts';
import type { Container, Pod } from './pod.ts';
import { parseStatus } from './status.ts';

const OVERRIDES = 'proxy.istio.io/overrides';
export const STATUS = 'sidecar.istio.io/status';

type Overrides = Partial<Record<'containers' | 'initContainers', readonly Container[]>>;

/** Fields of a container in the order in which Kubernetes writes them. */
const ORDER = [
  ...['name', 'image', 'command', 'args', 'workingDir', 'ports', 'envFrom', 'env', 'resources', 'resizePolicy'],
  ...['restartPolicy', 'volumeMounts', 'volumeDevices', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
  ...['terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy', 'securityContext', 'stdin', 'stdinOnce'],
  'tty',
];

/** Fields that replace the template's as a whole. */
const WHOLE = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/**
 * Lays what a user wrote for a container over what the templates made of it, and keeps it in an annotation for the next injection,
 * which would not tell the two apart any more.
 */
export function applyOverrides(injected: Pod, original: Pod, patches: readonly JsonObject[]): Pod {
  const { annotations = {} } = original.metadata;
  const saved = savedOverrides(original);
  const status = parseStatus(annotations[STATUS]);
  const named = (group: keyof Overrides) =>
    new Set(patches.flatMap(({ spec }) => ((spec as Overrides | undefined)?.[group] ?? []).map(({ name }) => name)));
  const found = GROUPS.map((group) => {
    const overrides = [...named(group)].flatMap((name) => {
      const known = saved[group]?.find((container) => container.name === name);
      const own = known ?? (status?.[group].includes(name) === true ? undefined : findContainer(original, name));
      return own ? [own] : [];
    });
    return [group, overrides.map(withoutAuto)] as const;
  });
  const overrides = Object.fromEntries(found.filter(([, list]) => list.length > 0)) as Overrides;
  const merged = mapContainers(injected, (container, group) => {
    const own = overrides[group]?.find(({ name }) => name === container.name);
    return own ? overlay(container, own) : container;
  });
  if (status !== undefined || Object.keys(overrides).length === 0) return merged;
  return {
    ...merged,
    metadata: {
      ...merged.metadata,
      annotations: { ...merged.metadata.annotations, [OVERRIDES]: print(overrides) },
    },
  };
}

function overlay(container: Container, own: Container): Container {
  const replaced = Object.fromEntries(WHOLE.filter((field) => own[field]).map((field) => [field, own[field]]));
  const merged = strategicMerge(container as JsonObject, own as JsonObject) as unknown as Container;
  return { ...merged, ...replaced };
}

function withoutAuto(container: Container): Container {
  if (container.name !== PROXY || container.image !== 'auto') return container;
  const { image: _, ...rest } = container;
  return rest;
}

/** Also a container without resources is written with them. */
function print(overrides: Overrides): string {
  const sorted = Object.entries(overrides).map(([group, containers]) => [
    group,
    containers.map((container) => {
      const full: Readonly<Record<string, unknown>> = { resources: {}, ...container };
      const known = ORDER.filter((field) => field in full);
      return Object.fromEntries([...known, ...Object.keys(full)].map((field) => [field, full[field]]));
    }),
  ]);
  return JSON.stringify(Object.fromEntries(sorted));
}

/** They are written for each container, whether it has any or not. */
const dropEmptyResources = (key: string, value: object): unknown =>
  key === 'resources' && Object.keys(value).length === 0 ? undefined : value;

/** What the user had written for containers that an earlier injection changed. */
function savedOverrides({ metadata }: Pod): Overrides {
  try {
    return (JSON.parse(metadata.annotations?.[OVERRIDES] ?? '{}', dropEmptyResources) ?? {}) as Overrides;
  } catch {
    return {};
  }
}

/** The pod as the user wrote it: what an earlier injection added is taken away, what it changed is put back. */
export function withoutInjected(pod: Pod): Pod {
  const status = parseStatus(pod.metadata.annotations?.[STATUS]);
  if (status === undefined) return pod;
  const saved = savedOverrides(pod);
  const restored = GROUPS.filter((group) => pod.spec[group]).map((group) => {
    const containers = pod.spec[group]?.flatMap((container) => {
      if (!status[group].includes(container.name)) return [container];
      return saved[group]?.filter(({ name }) => name === container.name) ?? [];
    });
    return [group, containers] as const;
  });
  const volumes = (pod.spec.volumes ?? []) as readonly { readonly name: string }[];
  return {
    metadata: pod.metadata,
    spec: {
      ...pod.spec,
      ...Object.fromEntries(restored),
      volumes: volumes.filter(({ name }) => !status.volumes.includes(name)),
    },
  };
}
