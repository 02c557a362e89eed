import { index, query } from '@kedge/incremental';
import {
  canonicalHost,
  type ConfigOf,
  type DestinationRule,
  hostLookupOrder,
  isVisibleTo,
  isWildcardHost,
  type Labels,
  labelsKey,
  type ObjectRef,
  parseVisibility,
  resolveShortHost,
  type Visibility,
} from '@kedge/model';
import { istioSources, type MeshRead, objectKey } from '@kedge/config';
import { isDiscoverable } from '@kedge/registry';
import { domainSuffix, meshConfig, rootNamespace } from './mesh.ts';
import { alike } from './equality.ts';
import { namespaceAmong } from './namespace-among.ts';
import { compareAge } from './precedence.ts';
import { proxyMatches } from './proxy-workload.ts';

/** What the DestinationRules for one host come to, after those of one namespace and visibility were merged. */
export interface MergedDestinationRule {
  readonly namespace: string;
  /** Name of the oldest of the merged rules. */
  readonly name: string;
  readonly host: string;
  readonly trafficPolicy: DestinationRule['trafficPolicy'];
  readonly subsets: DestinationRule['subsets'];
  readonly selector?: Labels;
  /** As the oldest says it, sorted; rules that say the same in other words stay apart, as they do in Istio. */
  readonly exportTo: readonly string[];
  readonly visibility: Visibility;
  /** The objects that it was merged from, oldest first. */
  readonly from: readonly ObjectRef[];
}

/** Which rules of a namespace count: all that its own proxies may use, or those that others may use too. */
type Pool = 'own' | 'exported' | 'private';

/**
 * Rules by namespace and host. A host without a dot is a service of the rule's namespace, so such rules are found under
 * that short name; see `hostNames`.
 */
const rulesByPlace = index(istioSources.DestinationRule, 'namespace/host', (rule) => [
  `${rule.namespace}/${canonicalHost(rule.spec.host)}`,
]);

/** The same rules whatever their namespace, by the host as it is written; those for many hosts together. */
const rulesByHost = index(istioSources.DestinationRule, 'host', (rule) => {
  const host = canonicalHost(rule.spec.host);
  return isWildcardHost(host) ? [ANY_WILDCARD] : [host];
});

const ANY_WILDCARD = '*';

/** Rules for many hosts, by these. */
const wildcardRules = query(
  'wildcardDestinationRules',
  (read: MeshRead): ReadonlyMap<string, readonly string[]> =>
    new Map(
      [...Map.groupBy(read.group(rulesByHost, ANY_WILDCARD), ({ spec }) => canonicalHost(spec.host))].map(
        ([host, rules]) => [host, rules.map(({ namespace }) => namespace)],
      ),
    ),
  alike,
);

/** The ways in which a rule of a namespace may write a host: in full or, for a service of the same namespace, by its name. */
function hostNames(read: MeshRead, namespace: string, host: string): readonly string[] {
  const name = host.split('.', 1)[0] ?? '';
  return host !== name && host === resolveShortHost(name, namespace, domainSuffix(read)) ? [host, name] : [host];
}

function ruleVisibility(rule: ConfigOf<'DestinationRule'>, fallback: readonly string[]): Visibility {
  // Rules for selected workloads are a private matter of their namespace.
  if (rule.spec.workloadSelector) return [rule.namespace];
  return parseVisibility(rule.spec.exportTo, rule.namespace, parseVisibility(fallback, rule.namespace, '*'));
}

function inPool(pool: Pool, namespace: string, visibility: Visibility): boolean {
  const own = isVisibleTo(visibility, namespace);
  const others = visibility === '*' || visibility.some((to) => to !== namespace);
  switch (pool) {
    case 'own':
      return own;
    case 'exported':
      return others;
    case 'private':
      return own && !others;
  }
}

/** The rules of a pool for exactly this host, merged. Rules with a selector come first, then by age. */
const rulesOfHost = query(
  'destinationRulesOfHost',
  (read: MeshRead, namespace: string, host: string, pool: Pool): readonly MergedDestinationRule[] => {
    const fallback = meshConfig(read).defaultDestinationRuleExportTo;
    const names = hostNames(read, namespace, host)
      .flatMap((name) => read.group(rulesByPlace, `${namespace}/${name}`))
      .filter((rule) => inPool(pool, namespace, ruleVisibility(rule, fallback)))
      .sort((a, b) => Number(!a.spec.workloadSelector) - Number(!b.spec.workloadSelector) || compareAge(a, b))
      .map(({ name }) => name);
    return names.length > 0 ? read(mergedRules, namespace, host, names.join(',')) : NO_RULES;
  },
);

const NO_RULES: readonly MergedDestinationRule[] = [];

/** Named rules merged in this order. Pools of the same rules come to the identical result, and so do their clients. */
const mergedRules = query(
  'mergedDestinationRules',
  (read: MeshRead, namespace: string, host: string, names: string): readonly MergedDestinationRule[] => {
    const fallback = meshConfig(read).defaultDestinationRuleExportTo;
    return names.split(',').reduce<readonly MergedDestinationRule[]>((merged, name) => {
      const rule = read.get(istioSources.DestinationRule, objectKey(namespace, name));
      if (!rule) return merged;
      const next = toMerged(rule, host, ruleVisibility(rule, fallback));
      const result = merged.map((other) => (addsTo(next, other) ? mergeRules(other, next) : other));
      const isWhole = merged.some((other) => addsTo(next, other) && sameWorkloads(other, next));
      return isWhole ? result : [...result, next];
    }, NO_RULES);
  },
  alike,
);

function toMerged(rule: ConfigOf<'DestinationRule'>, host: string, visibility: Visibility): MergedDestinationRule {
  const { trafficPolicy, subsets, workloadSelector, exportTo } = rule.spec;
  return {
    namespace: rule.namespace,
    name: rule.name,
    host,
    trafficPolicy,
    subsets,
    ...(workloadSelector ? { selector: workloadSelector.matchLabels } : {}),
    exportTo: workloadSelector ? ['.'] : [...new Set(exportTo)].sort(),
    visibility,
    from: [{ kind: rule.kind, namespace: rule.namespace, name: rule.name }],
  };
}

/**
 * Whether a younger rule adds to an older one: if it is for the same workloads, or for all, and meant for the same clients or
 * for more. One that is for all goes on to count by itself too.
 */
function addsTo(younger: MergedDestinationRule, older: MergedDestinationRule): boolean {
  if (younger.selector && !sameWorkloads(older, younger)) return false;
  if (older.exportTo.length === 0) return younger.exportTo.length === 0;
  return older.exportTo.every((to) => younger.exportTo.includes(to));
}

function sameWorkloads(a: MergedDestinationRule, b: MergedDestinationRule): boolean {
  return (a.selector && labelsKey(a.selector)) === (b.selector && labelsKey(b.selector));
}

/** The older rule keeps its traffic policy and its subsets; the younger adds subsets of other names. */
function mergeRules(older: MergedDestinationRule, younger: MergedDestinationRule): MergedDestinationRule {
  const names = new Set(older.subsets.map(({ name }) => name));
  return {
    ...older,
    trafficPolicy: older.trafficPolicy ?? younger.trafficPolicy,
    subsets: [...older.subsets, ...younger.subsets.filter(({ name }) => !names.has(name))],
    from: [...older.from, ...younger.from],
  };
}

/**
 * The rule that fits among those of the most specific host that covers `host`: the first with a selector, else the last of
 * those that did not merge. Hosts for which there are only rules for selected workloads are passed over when none fits.
 */
function mostSpecific(
  read: MeshRead,
  namespace: string,
  host: string,
  pool: Pool,
  fits: (rule: MergedDestinationRule) => boolean,
): MergedDestinationRule | undefined {
  for (const candidate of hostLookupOrder(host)) {
    const rules = read(rulesOfHost, namespace, candidate, pool);
    const fitting = rules.filter(fits);
    const rule = fitting.find(({ selector }) => selector) ?? fitting.at(-1);
    if (rule || rules.some(({ selector }) => !selector)) return rule;
  }
  return undefined;
}

/** The namespaces that have a rule for the host, or for hosts that it is one of. */
function ruleNamespaces(read: MeshRead, host: string): ReadonlySet<string> {
  const wildcards = read(wildcardRules);
  const [name = ''] = host.split('.', 1);
  const byShortName = read
    .group(rulesByHost, name)
    .filter(({ namespace }) => resolveShortHost(name, namespace, domainSuffix(read)) === host);
  const namespaces = new Set([
    ...[...read.group(rulesByHost, host), ...byShortName].map(({ namespace }) => namespace),
    ...hostLookupOrder(host).flatMap((covering) => wildcards.get(covering) ?? []),
  ]);
  return new Set([...namespaces].filter((namespace) => read(isDiscoverable, namespace)));
}

/**
 * The namespace of the proxy as far as rules for the host tell it from others, empty for all that are treated alike. Mostly
 * a host has rules in its own namespace alone, and they mean the same to everybody.
 */
function clientNamespace(read: MeshRead, host: string, serviceNamespace: string, owners: ReadonlySet<string>): string {
  const root = rootNamespace(read);
  const exported = [serviceNamespace, root].flatMap((namespace) =>
    owners.has(namespace)
      ? [...hostLookupOrder(host)].flatMap((name) => read(rulesOfHost, namespace, name, 'exported'))
      : [],
  );
  const named = exported.flatMap(({ visibility }) => (visibility === '*' ? [] : visibility));
  const apart = [...owners].filter(
    (owner) => owner !== serviceNamespace || owner === root || hasOwnView(read, owner, host),
  );
  return namespaceAmong(read, [...apart, ...named]);
}

/** Whether rules of a namespace for the host are other ones for its own proxies than for those of others. */
function hasOwnView(read: MeshRead, namespace: string, host: string): boolean {
  return [...hostLookupOrder(host)].some(
    (name) => read(rulesOfHost, namespace, name, 'own') !== read(rulesOfHost, namespace, name, 'exported'),
  );
}

function ruleFor(
  read: MeshRead,
  host: string,
  serviceNamespace: string,
  selected: (selector: Labels) => boolean,
): MergedDestinationRule | undefined {
  const owners = ruleNamespaces(read, host);
  if (owners.size === 0) return undefined;
  const root = rootNamespace(read);
  const client = clientNamespace(read, host, serviceNamespace, owners);
  const own = ({ selector }: MergedDestinationRule): boolean => !selector || selected(selector);
  const exported = ({ visibility, selector }: MergedDestinationRule): boolean =>
    !selector && isVisibleTo(visibility, client);
  const ruleOf = (namespace: string, pool: Pool): MergedDestinationRule | undefined =>
    owners.has(namespace) ? mostSpecific(read, namespace, host, pool, pool === 'exported' ? exported : own) : undefined;
  return (
    // Rules of the root namespace are meant for the mesh, so its own proxies see only the private ones first.
    ruleOf(client, client === root ? 'private' : 'own') ??
    ruleOf(serviceNamespace, 'exported') ??
    ruleOf(root, 'exported')
  );
}

/**
 * The DestinationRule that the proxy uses towards a service: of its own namespace, else of the service's, else of the root
 * namespace. A rule for selected workloads wins over one for all within the same namespace and host; where no selector
 * matches, the look-up goes on as if those rules weren't there.
 * https://istio.io/latest/docs/ops/best-practices/traffic-management/#cross-namespace-configuration
 */
export const destinationRule = query('destinationRule', (read: MeshRead, host: string, serviceNamespace: string) =>
  ruleFor(read, host, serviceNamespace, (selector) => proxyMatches(read, selector)),
);

/** The rule that counts for traffic into the proxy: selectors choose clients, so rules that have one play no part. */
export const inboundDestinationRule = query(
  'inboundDestinationRule',
  (read: MeshRead, host: string, serviceNamespace: string) => ruleFor(read, host, serviceNamespace, () => false),
);
