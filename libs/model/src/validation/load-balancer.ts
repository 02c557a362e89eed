import type { ConsistentHashLB, LoadBalancerSettings, WarmupConfiguration } from '../kinds/load-balancer.ts';
import type { Issues } from './issues.ts';
import { validateLocalityLb, validateZoneAwareLb } from './locality-lb.ts';
import { durationProblem, isPrime } from './numbers.ts';

/** Load balancing of a destination; failover needs its outlier detection. */
export function validateLoadBalancer(issues: Issues, settings: LoadBalancerSettings, detectsOutliers: boolean): void {
  const { consistentHash, localityLbSetting, zoneAwareLbSetting, warmup } = settings;
  issues.errorIf(
    localityLbSetting !== undefined && zoneAwareLbSetting !== undefined,
    'conflicting-fields',
    'at most one of localityLbSetting and zoneAwareLbSetting may be set',
  );
  issues.field('consistentHash', consistentHash, validateConsistentHash);
  issues.field('localityLbSetting', localityLbSetting, (at, lb) => validateLocalityLb(at, lb, detectsOutliers));
  issues.field('zoneAwareLbSetting', zoneAwareLbSetting, (at, lb) => validateZoneAwareLb(at, lb, detectsOutliers));
  issues.field('warmup', warmup, validateWarmup);
}

/** The largest table of Envoy's Maglev balancer. */
const MAX_MAGLEV_TABLE = 5_000_011;

function validateConsistentHash(issues: Issues, hash: ConsistentHashLB): void {
  const { httpCookie, minimumRingSize = 0, ringHash, maglev } = hash;
  issues.field('httpCookie', httpCookie, (at, { name, attributes }) => {
    at.at('name').errorIf(name === '', 'required', 'the cookie needs a name');
    const names = new Set<string>();
    at.each('attributes', attributes, (attributeAt, attribute) => {
      attributeAt.errorIf(attribute.name === '', 'required', 'the attribute needs a name');
      attributeAt.errorIf(names.has(attribute.name), 'duplicate-entry', `${attribute.name} is set twice`);
      if (attribute.name !== '') names.add(attribute.name);
    });
  });
  if (minimumRingSize !== 0) {
    const at = issues.at('minimumRingSize');
    at.warn('deprecated-field', 'is deprecated; use ringHash.minimumRingSize');
    at.errorIf(
      ringHash !== undefined || maglev !== undefined,
      'conflicting-fields',
      'cannot be set beside ringHash or maglev',
    );
  }
  issues.field('maglev', maglev, (at, { tableSize = 0 }) => {
    at.at('tableSize').errorIf(
      tableSize >= MAX_MAGLEV_TABLE || !isPrime(tableSize),
      'out-of-range',
      `${tableSize} must be a prime number below ${MAX_MAGLEV_TABLE}`,
    );
  });
}

function validateWarmup(issues: Issues, { duration, minimumPercent = 0, aggression = 1 }: WarmupConfiguration): void {
  const time = issues.at('duration');
  if (duration === undefined) time.error('required', 'is required');
  else time.check('invalid-duration', durationProblem(duration));
  issues.at('minimumPercent').errorIf(minimumPercent > 100, 'out-of-range', `${minimumPercent} must be at most 100`);
  issues.at('aggression').errorIf(aggression <= 0, 'out-of-range', `${aggression} must be greater than 0`);
}
