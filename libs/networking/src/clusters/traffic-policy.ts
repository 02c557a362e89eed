import type { DestinationRule, MeshConfig, TrafficPolicy } from '@kedge/model';

type Maybe<T> = T | undefined;

/** The part of a traffic policy that holds for one port. */
export type PortPolicy = Omit<TrafficPolicy, 'portLevelSettings'>;

/** What a rule says for a port, or for a subset of it; undefined where it says nothing. */
export function rulePolicy(
  rule: Maybe<Pick<DestinationRule, 'trafficPolicy' | 'subsets'>>,
  port: number,
  subsetName = '',
): Maybe<PortPolicy> {
  const base = portPolicy(rule?.trafficPolicy, port);
  return overlay(base, rule?.subsets.find(({ name }) => name === subsetName)?.trafficPolicy, port);
}

/** Settings of a port replace the policy as a whole: what they leave out has its default. */
export function portPolicy(policy: Maybe<TrafficPolicy>, port: number): Maybe<PortPolicy> {
  const own = ownSettings(policy, port);
  if (!own) return policy;
  const { connectionPool, loadBalancer, outlierDetection, tls } = own;
  return { connectionPool, loadBalancer, outlierDetection, tls };
}

function ownSettings(policy: Maybe<TrafficPolicy>, port: number): Maybe<TrafficPolicy['portLevelSettings'][number]> {
  return policy?.portLevelSettings.find((settings) => settings.port?.number === port);
}

/** Settings that those of a port cannot replace, because only whole policies have them. */
const PORTLESS = ['tunnel', 'proxyProtocol', 'retryBudget'] as const;
const REPLACEABLE = ['connectionPool', 'outlierDetection', 'loadBalancer', 'tls'] as const;

/** The policy of a subset over that of its rule, setting by setting; its settings for the port replace those of the rule. */
export function overlay(base: Maybe<PortPolicy>, subset: Maybe<TrafficPolicy>, port: number): Maybe<PortPolicy> {
  if (!subset) return base;
  const over = portPolicy(subset, port);
  if (!base || !over) return over ?? base;
  const forPort = ownSettings(subset, port) !== undefined;
  const merged: Record<string, unknown> = {};
  for (const field of REPLACEABLE) merged[field] = forPort ? over[field] : (over[field] ?? base[field]);
  for (const field of PORTLESS) merged[field] = over[field] ?? base[field];
  return merged;
}

/** The mesh's default policy fills in the blocks that the policy has not. */
export function withMeshDefaults(policy: Maybe<PortPolicy>, mesh: MeshConfig): PortPolicy {
  const { connectionPool, outlierDetection } = mesh.defaultTrafficPolicy ?? {};
  return {
    ...policy,
    connectionPool: policy?.connectionPool ?? connectionPool,
    outlierDetection: policy?.outlierDetection ?? outlierDetection,
  };
}
