import type {
  LocalityFailover,
  LocalityLoadBalancerSetting,
  ZoneAwareLoadBalancerSetting,
} from '../kinds/load-balancer.ts';
import { type Issues, type Problem, quote } from './issues.ts';

/** Labels by which Kubernetes and Istio name a locality; localities are compared by region, zone and sub-zone anyway. */
const TOPOLOGY_LABELS: ReadonlySet<string> = new Set([
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.istio.io/subzone',
]);

export function validateLocalityLb(issues: Issues, lb: LocalityLoadBalancerSetting, detectsOutliers: boolean): void {
  const { distribute, failover, failoverPriority } = lb;
  if (distribute.length > 0 && failover.length > 0) {
    issues.error('conflicting-fields', 'distribute and failover exclude each other');
    return;
  }
  if (failover.length > 0) {
    const topology = failoverPriority.find((label) => TOPOLOGY_LABELS.has(label));
    if (topology !== undefined) {
      issues.at('failoverPriority').error('conflicting-fields', `${quote(topology)} cannot be used beside failover`);
      return;
    }
  }
  if (!validateDistribute(issues, distribute)) return;
  validateFailover(issues, lb, detectsOutliers);
}

/** Whether traffic is distributed to shares that make a whole. */
function validateDistribute(issues: Issues, distribute: LocalityLoadBalancerSetting['distribute']): boolean {
  for (const [i, { to }] of distribute.entries()) {
    const at = issues.at('distribute', i, 'to');
    const weights = Object.values(to);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    if (total !== 100 || weights.some((weight) => weight < 1 || weight > 100)) {
      at.error('invalid-weight', `weights must be in 1..100 and make 100 together, not ${total}`);
      return false;
    }
    // An object's keys have no order, so whatever could be the more specific comes first.
    at.check(
      'invalid-locality',
      localitiesProblem(Object.keys(to).sort((a, b) => wildcards(a) - wildcards(b) || b.length - a.length)),
    );
  }
  issues.at('distribute').check('invalid-locality', localitiesProblem(distribute.map(({ from = '' }) => from)));
  return true;
}

const wildcards = (locality: string): number => (locality.includes('*') ? 1 : 0);

/** Localities `region/zone/sub-zone` (or fewer parts, or `*` at the end), of which none may hide one that comes later. */
function localitiesProblem(localities: readonly string[]): Problem {
  const earlier: (readonly string[])[] = [];
  for (const locality of localities) {
    if (/\*(?!$)/.test(locality)) return `${quote(locality)} may have "*" only at its end`;
    const parts = splitLocality(locality);
    if (parts.includes('')) return `${quote(locality)} has an empty region, zone or sub-zone`;
    if (earlier.some((other) => covers(other, parts) || startsWith(other, parts))) {
      return `${quote(locality)} overlaps with another locality of the list`;
    }
    earlier.push(parts);
  }
  return undefined;
}

function splitLocality(locality: string): readonly string[] {
  const [region = '', zone, ...rest] = locality.split('/');
  return [region, ...(zone === undefined ? [] : [zone]), ...(rest.length > 0 ? [rest.join('/')] : [])];
}

const covers = (wide: readonly string[], narrow: readonly string[]): boolean =>
  wide.every((part, i) => part === '*' || part === narrow[i]);

const startsWith = (parts: readonly string[], start: readonly string[]): boolean =>
  start.every((part, i) => part === parts[i]);

export function validateZoneAwareLb(issues: Issues, lb: ZoneAwareLoadBalancerSetting, detectsOutliers: boolean): void {
  issues.each('failoverPriority', lb.failoverPriority, (at, label) =>
    at.errorIf(
      TOPOLOGY_LABELS.has(label),
      'unsupported',
      `${quote(label)} has no place here: regions, zones and sub-zones are ordered already`,
    ),
  );
  validateFailover(issues, lb, detectsOutliers);
}

function validateFailover(
  issues: Issues,
  { failover, failoverPriority }: Pick<ZoneAwareLoadBalancerSetting, 'failover' | 'failoverPriority'>,
  detectsOutliers: boolean,
): void {
  issues.warnIf(
    failover.length + failoverPriority.length > 0 && !detectsOutliers,
    'failover-without-outlier-detection',
    'failover happens only with outlierDetection, which is not set',
  );
  issues.each('failover', failover, validateFailoverPair);
}

function validateFailoverPair(issues: Issues, { from = '', to = '' }: LocalityFailover): void {
  issues.errorIf(from === to, 'invalid-locality', 'from and to must be different regions');
  issues.errorIf(
    /[*/]/.test(from + to),
    'invalid-locality',
    'from and to must be regions, without zone and without "*"',
  );
}
