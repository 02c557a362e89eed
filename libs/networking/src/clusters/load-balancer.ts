import type { Cluster, Messages } from '@kedge/envoy-api';
import {
  type Features,
  formatDuration,
  type LoadBalancerSettings,
  type Protocol,
  type SimpleLB,
  type WarmupConfiguration,
} from '@kedge/model';

type SlowStart = Messages['envoy.config.cluster.v3.Cluster.SlowStartConfig'];
type LbPolicy = NonNullable<Cluster['lbPolicy']>;

/** What a client asks for by name. The default is the least loaded of two endpoints, picked at random. */
const SIMPLE: Readonly<Record<SimpleLB, LbPolicy>> = {
  UNSPECIFIED: 'LEAST_REQUEST',
  LEAST_CONN: 'LEAST_REQUEST',
  LEAST_REQUEST: 'LEAST_REQUEST',
  RANDOM: 'RANDOM',
  ROUND_ROBIN: 'ROUND_ROBIN',
  PASSTHROUGH: 'CLUSTER_PROVIDED',
};

/** How a cluster chooses among its endpoints. Redis is sharded by key, whatever the rule says. */
export function loadBalancer(
  settings: LoadBalancerSettings | undefined,
  protocol: Protocol,
  { redisFilter }: Features,
): Cluster {
  if (redisFilter && protocol === 'REDIS') return { lbPolicy: 'MAGLEV' };
  if (settings?.consistentHash) return consistentHash(settings.consistentHash);
  const lbPolicy = SIMPLE[settings?.simple ?? 'UNSPECIFIED'];
  const slowStartConfig = settings && slowStart(settings);
  if (!slowStartConfig) return { lbPolicy };
  switch (lbPolicy) {
    case 'LEAST_REQUEST':
      return { lbPolicy, leastRequestLbConfig: { slowStartConfig } };
    case 'ROUND_ROBIN':
      return { lbPolicy, roundRobinLbConfig: { slowStartConfig } };
    default:
      return { lbPolicy };
  }
}

/** Whether connections go wherever they were bound for. */
export function isPassthrough(settings: LoadBalancerSettings | undefined): boolean {
  return settings?.simple === 'PASSTHROUGH';
}

function slowStart({ warmup, warmupDurationSecs }: LoadBalancerSettings): SlowStart | undefined {
  if (warmup) return warmUp(warmup);
  return warmupDurationSecs === undefined ? undefined : { slowStartWindow: formatDuration(warmupDurationSecs) };
}

function warmUp({ duration, aggression = 1, minimumPercent = 10 }: WarmupConfiguration): SlowStart {
  return {
    ...(duration === undefined ? {} : { slowStartWindow: formatDuration(duration) }),
    // Envoy demands a runtime key, though none is meant to be used; this one cannot be set by accident.
    aggression: { defaultValue: aggression, runtimeKey: '(' },
    minWeightPercent: { value: minimumPercent },
  };
}

const DEFAULT_RING_SIZE = 1024;

function consistentHash(settings: NonNullable<LoadBalancerSettings['consistentHash']>): Cluster {
  const { maglev, ringHash, minimumRingSize } = settings;
  if (maglev) {
    const tableSize = maglev.tableSize ? { maglevLbConfig: { tableSize: String(maglev.tableSize) } } : {};
    return { lbPolicy: 'MAGLEV', ...tableSize };
  }
  const size = ringHash ? ringHash.minimumRingSize : minimumRingSize || DEFAULT_RING_SIZE;
  return { lbPolicy: 'RING_HASH', ...(size ? { ringHashLbConfig: { minimumRingSize: String(size) } } : {}) };
}
