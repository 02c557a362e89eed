import type { Route } from '@kedge/envoy-api';
import { parseOutboundClusterName } from '../clusters/cluster-name.ts';

/** The name of a route in traces: the host and port that it leads to, or else where it came from, and the path. */
export function routeOperation({ match, route }: Route, virtualService: string, port: number): string {
  const target = route?.cluster === undefined ? undefined : parseOutboundClusterName(route.cluster);
  return `${target ? `${target.host}:${target.port}` : `${virtualService}:${port}`}${pathText(match)}`;
}

function pathText({ prefix, path, safeRegex }: NonNullable<Route['match']> = {}): string {
  if (prefix !== undefined) return `${prefix}*`;
  return path ?? safeRegex?.regex ?? '/*';
}
