import type { Container, Pod, PodSpec } from './pod.ts';

export const PROXY = 'istio-proxy';

type Group = 'containers' | 'initContainers';
export const GROUPS: readonly Group[] = ['containers', 'initContainers'];

/** The proxy's container, wherever it runs. */
export const findContainer = ({ spec }: Pod, name: string): Container | undefined =>
  GROUPS.flatMap((group) => spec[group] ?? []).find((container) => container.name === name);

export const mapContainers = (
  { metadata, spec }: Pod,
  change: (container: Container, group: Group) => Container,
): Pod => ({
  metadata,
  spec: {
    ...spec,
    ...Object.fromEntries(
      GROUPS.filter((group) => spec[group]).map((group) => [group, spec[group]?.map((item) => change(item, group))]),
    ),
  },
});

/** A user's own definition of the proxy is moved to the init containers, where a native sidecar runs. */
export function moveProxy({ metadata, spec }: Pod): Pod {
  const proxy = spec.containers?.find(({ name }) => name === PROXY);
  if (!proxy) return { metadata, spec };
  return {
    metadata,
    spec: {
      ...spec,
      containers: spec.containers?.filter((container) => container !== proxy) ?? [],
      initContainers: [...(spec.initContainers ?? []), proxy],
    },
  };
}

const front = (containers: readonly Container[], names: readonly string[]): readonly Container[] => [
  ...names.flatMap((name) => containers.filter((container) => container.name === name)),
  ...containers.filter(({ name }) => !names.includes(name)),
];

const back = (containers: readonly Container[], names: readonly string[]): readonly Container[] => [
  ...containers.filter(({ name }) => !names.includes(name)),
  ...names.flatMap((name) => containers.filter((container) => container.name === name)),
];

/** The order in which the containers of an injected pod have to start. */
export function orderContainers(spec: PodSpec, isNative: boolean, proxyFirst: boolean): PodSpec {
  const { containers = [], initContainers } = spec;
  const place = proxyFirst ? front : back;
  const ordered = initContainers && {
    initContainers: isNative
      ? front(initContainers, ['istio-init', 'istio-validation', PROXY, 'enable-core-dump'])
      : back(front(initContainers, ['istio-validation']), ['istio-init', 'enable-core-dump']),
  };
  return { ...spec, containers: place(containers, [PROXY]), ...ordered };
}
