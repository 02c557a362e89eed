import type { RedirectAction, Route } from '@kedge/envoy-api';
import type { HTTPRedirect } from '@kedge/model';

const RESPONSE_CODES: Readonly<Record<number, NonNullable<RedirectAction['responseCode']>>> = {
  302: 'FOUND',
  303: 'SEE_OTHER',
  307: 'TEMPORARY_REDIRECT',
  308: 'PERMANENT_REDIRECT',
};
const USUAL_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** The listener that gets the request: Envoy doesn't know the port that a client asked for, but this is it. */
interface RequestedAt {
  readonly port: number;
  readonly tls: boolean;
}

/** An answer that sends the client elsewhere; no action where Envoy hasn't got the status code. */
export function redirectAction(redirect: HTTPRedirect, at: RequestedAt): Pick<Route, 'redirect'> {
  const { authority, scheme, prefixRewrite, uri = '', redirectCode = 301 } = redirect;
  const responseCode = RESPONSE_CODES[redirectCode];
  if (!responseCode && redirectCode !== 301 && redirectCode !== 0) return {};
  const portRedirect = redirectPort(redirect, at);
  return {
    redirect: {
      ...(authority ? { hostRedirect: authority } : {}),
      ...(prefixRewrite ? { prefixRewrite } : { pathRedirect: uri }),
      ...(scheme ? { schemeRedirect: scheme } : {}),
      ...(portRedirect ? { portRedirect } : {}),
      ...(responseCode ? { responseCode } : {}),
    },
  };
}

/** 0 where the client needs no port. */
function redirectPort({ port, derivePort, scheme }: HTTPRedirect, at: RequestedAt): number {
  const wanted = derivePort === 'FROM_REQUEST_PORT' ? at.port : (port ?? 0);
  return USUAL_PORTS[scheme || (at.tls ? 'https' : 'http')] === wanted ? 0 : wanted;
}
