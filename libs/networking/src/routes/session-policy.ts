import { type Any, packAny } from '@kedge/envoy-api';
import type { Features, Labels } from '@kedge/model';

export const SESSION_FILTER = 'envoy.filters.http.stateful_session';

/** How requests of a client's session find back to the endpoint that began it. */
export type SessionPolicy =
  | { readonly kind: 'cookie'; readonly name: string; readonly path: string }
  | { readonly kind: 'header'; readonly name: string };

/** The policy that a service's labels ask for: a cookie as `NAME[:PATH]`, or the name of a header. */
export function sessionPolicyOf(labels: Labels, features: Features): SessionPolicy | undefined {
  if (!features.persistentSessions) return undefined;
  const cookie = labels[features.persistentSessionLabel];
  if (cookie) {
    const colon = cookie.indexOf(':');
    return colon < 0
      ? { kind: 'cookie', name: cookie, path: '/' }
      : { kind: 'cookie', name: cookie.slice(0, colon), path: cookie.slice(colon + 1) };
  }
  const header = labels[features.persistentSessionHeaderLabel];
  return header ? { kind: 'header', name: header } : undefined;
}

/** The policy as what a route or virtual host says to the session filter. */
export function sessionOverride(policy: SessionPolicy): Any {
  return packAny('envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute', {
    statefulSession: { sessionState: sessionState(policy) },
  });
}

function sessionState(policy: SessionPolicy): { readonly name: string; readonly typedConfig: Any } {
  if (policy.kind === 'header') {
    return {
      name: 'envoy.http.stateful_session.header',
      typedConfig: packAny('envoy.extensions.http.stateful_session.header.v3.HeaderBasedSessionState', {
        name: policy.name,
      }),
    };
  }
  // Without a time to live the cookie is gone when the client is.
  const { name, path } = policy;
  return {
    name: 'envoy.http.stateful_session.cookie',
    typedConfig: packAny('envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState', {
      cookie: { name, ...(path ? { path } : {}) },
    }),
  };
}
