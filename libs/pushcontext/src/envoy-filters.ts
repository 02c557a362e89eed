import { istioSources, type MeshRead, objectKey } from '@kedge/config';
import { derivedFact, fact, query } from '@kedge/incremental';
import {
  type ConfigOf,
  type EnvoyFilterApplyTo,
  type EnvoyFilterMatch,
  type EnvoyFilterPatchContext,
  matchesRegex,
  type Proxy,
} from '@kedge/model';
import { discovered } from './discovered.ts';
import { sameMembers } from './equality.ts';
import { keyedObjects } from './keyed-objects.ts';
import { rootNamespace } from './mesh.ts';
import { isAttached } from './policy-attachment.ts';
import { compareAge } from './precedence.ts';
import { configNamespace } from './proxy-facts.ts';

type EnvoyFilter = ConfigOf<'EnvoyFilter'>;

/** What is patched together: one kind of resource, with all that is in it. */
export type PatchScope = 'clusters' | 'listeners' | 'routes' | 'extensions';

const SCOPES: Readonly<Partial<Record<EnvoyFilterApplyTo, PatchScope>>> = {
  CLUSTER: 'clusters',
  LISTENER: 'listeners',
  LISTENER_FILTER: 'listeners',
  FILTER_CHAIN: 'listeners',
  NETWORK_FILTER: 'listeners',
  HTTP_FILTER: 'listeners',
  ROUTE_CONFIGURATION: 'routes',
  VIRTUAL_HOST: 'routes',
  HTTP_ROUTE: 'routes',
  EXTENSION_CONFIG: 'extensions',
  // BOOTSTRAP is the agent's.
};

/** Where proxies of the types that patches tell apart have a resource. */
export type PatchContext = Exclude<EnvoyFilterPatchContext, 'ANY' | 'WAYPOINT'>;

/** EnvoyFilters of a namespace in the order in which they are applied. */
const envoyFiltersOf = query(
  'envoyFiltersOf',
  (read: MeshRead, namespace: string): readonly EnvoyFilter[] =>
    discovered(read, 'EnvoyFilter', namespace).toSorted(
      (a, b) => (a.spec.priority ?? 0) - (b.spec.priority ?? 0) || compareAge(a, b),
    ),
  sameMembers,
);

/**
 * The keys of the EnvoyFilters for the proxy, in the order in which they are applied and separated by commas: by priority, and
 * of the same one those of the root namespace first.
 * https://istio.io/latest/docs/reference/config/networking/envoy-filter/
 */
export const envoyFilterKeys = derivedFact('envoyFilterKeys', (read: MeshRead): string => {
  const places = new Set([rootNamespace(read), read.fact(configNamespace)]);
  return [...places]
    .flatMap((place) => read(envoyFiltersOf, place))
    .filter(({ namespace, spec }) => isAttached(read, { namespace, spec: attachment(spec) }))
    .sort((a, b) => (a.spec.priority ?? 0) - (b.spec.priority ?? 0))
    .map(({ namespace, name }) => objectKey(namespace, name))
    .join(',');
});

function attachment({ workloadSelector, targetRefs }: EnvoyFilter['spec']) {
  return { ...(workloadSelector ? { selector: { matchLabels: workloadSelector.labels } } : {}), targetRefs };
}

/** The objects that keys stand for, in their order. */
export function envoyFilters(read: MeshRead, keys: string): readonly EnvoyFilter[] {
  return keyedObjects(read, istioSources.EnvoyFilter, keys);
}

const hasVersion = fact('hasVersion', ({ metadata }: Proxy, regex: string) =>
  Boolean(metadata.istioVersion && matchesRegex(regex, metadata.istioVersion)),
);

const hasMetadata = fact(
  'hasMetadata',
  ({ metadata }: Proxy, key: string, value: string) => metadata.raw[key] === value,
);

/**
 * The patches for one kind of the proxy's resources, in their order, as `namespace/name#position`, separated by commas. Which
 * of them hit a resource is for who makes that to say.
 * @param context where the resources are; any, where it doesn't matter
 */
export const envoyFilterPatches = derivedFact(
  'envoyFilterPatches',
  (read: MeshRead, scope: PatchScope, context?: PatchContext): string => {
    const keys = read(envoyFilterKeys);
    return envoyFilters(read, keys)
      .flatMap(({ namespace, name, spec }) =>
        spec.configPatches.flatMap(({ applyTo, match }, position) =>
          applyTo && SCOPES[applyTo] === scope && isIn(context, match) && isForProxy(read, match)
            ? [`${objectKey(namespace, name)}#${position}`]
            : [],
        ),
      )
      .join(',');
  },
);

function isIn(context: PatchContext | undefined, match: EnvoyFilterMatch | undefined): boolean {
  const wanted = match?.context ?? 'ANY';
  return context === undefined || wanted === 'ANY' || wanted === context;
}

function isForProxy(read: MeshRead, match: EnvoyFilterMatch | undefined): boolean {
  const { proxyVersion = '', metadata = {} } = match?.proxy ?? {};
  return (
    (proxyVersion === '' || read.fact(hasVersion, proxyVersion)) &&
    Object.entries(metadata).every(([key, value]) => read.fact(hasMetadata, key, value))
  );
}
