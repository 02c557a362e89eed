import type { MeshRead } from '@kedge/config';
import { jwtFilters } from '../authn/request-authentication.ts';
import { authorizationFilters, customAuthorizationFilters } from '../authz/authorization.ts';
import type { ListenerClass } from './listener-class.ts';
import type { HttpFilter, NetworkFilter } from './network-filter.ts';

/* Filters that policies ask for. They are about traffic into a workload or through a gateway. */

/** What looks at requests: external authorizers first, then tokens, then all that is authorized by the proxy itself. */
export function requestPolicies(read: MeshRead, listenerClass: ListenerClass): readonly HttpFilter[] {
  if (listenerClass === 'outbound') return [];
  return [
    ...customAuthorizationFilters(read, 'http'),
    ...jwtFilters(read, listenerClass),
    ...authorizationFilters(read, 'http'),
  ];
}

/** What looks at connections that aren't taken apart into requests. */
export function connectionPolicies(read: MeshRead, listenerClass: ListenerClass): readonly NetworkFilter[] {
  if (listenerClass === 'outbound') return [];
  return [...customAuthorizationFilters(read, 'tcp'), ...authorizationFilters(read, 'tcp')];
}
