import { type RouteAction, validate, type Violation } from '@kedge/envoy-api';
import { type ConsistentHashLB, type DestinationRule, formatDuration, type TrafficPolicy } from '@kedge/model';
import { ENVOY_RULES } from '../envoy-rules/envoy-rules.ts';

type HashPolicy = NonNullable<RouteAction['hashPolicy']>[number];

/** What of a request is hashed to choose the endpoint, if Envoy takes it. The ring itself is a matter of the cluster. */
export function hashPolicies(hash: ConsistentHashLB | undefined): readonly HashPolicy[] {
  return hash && hashViolations(hash).length === 0 ? statedPolicies(hash) : [];
}

/** What Envoy has against the hash of a rule: without it any endpoint is chosen. */
export function hashViolations(hash: ConsistentHashLB): readonly Violation[] {
  return statedPolicies(hash).flatMap((policy) =>
    validate('envoy.config.route.v3.RouteAction.HashPolicy', policy, ENVOY_RULES),
  );
}

function statedPolicies(hash: ConsistentHashLB): readonly HashPolicy[] {
  const { httpHeaderName, httpCookie, useSourceIp, httpQueryParameterName } = hash;
  if (httpHeaderName !== undefined) return [{ header: { headerName: httpHeaderName } }];
  if (httpCookie !== undefined) return [{ cookie: cookiePolicy(httpCookie) }];
  if (useSourceIp !== undefined) return [{ connectionProperties: useSourceIp ? { sourceIp: true } : {} }];
  if (httpQueryParameterName !== undefined) return [{ queryParameter: { name: httpQueryParameterName } }];
  return [];
}

function cookiePolicy(cookie: NonNullable<ConsistentHashLB['httpCookie']>): HashPolicy['cookie'] {
  const { name, path, ttl, attributes } = cookie;
  return {
    name,
    ...(ttl === undefined ? {} : { ttl: formatDuration(ttl) }),
    ...(path ? { path } : {}),
    ...(attributes.length > 0
      ? { attributes: attributes.map(({ name: key, value }) => ({ name: key, ...(value ? { value } : {}) })) }
      : {}),
  };
}

/**
 * The hash that a rule asks for: of the subset's port, the subset, the port, or the host. A port counts only if the
 * destination names it.
 */
export function consistentHashOf(
  rule: Pick<DestinationRule, 'trafficPolicy' | 'subsets'>,
  subset: string,
  port: number | undefined,
): ConsistentHashLB | undefined {
  const ofSubset = subset ? rule.subsets.find(({ name }) => name === subset)?.trafficPolicy : undefined;
  return (
    portHash(ofSubset, port) ?? ownHash(ofSubset) ?? portHash(rule.trafficPolicy, port) ?? ownHash(rule.trafficPolicy)
  );
}

const ownHash = (policy: TrafficPolicy | undefined): ConsistentHashLB | undefined =>
  policy?.loadBalancer?.consistentHash;

function portHash(policy: TrafficPolicy | undefined, port: number | undefined): ConsistentHashLB | undefined {
  if (port === undefined) return undefined;
  return policy?.portLevelSettings.find((settings) => settings.port?.number === port)?.loadBalancer?.consistentHash;
}
