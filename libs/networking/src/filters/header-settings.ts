import type { MeshRead } from '@kedge/config';
import type { ProxyHeaders } from '@kedge/model';
import { proxyConfig } from '@kedge/pushcontext';
import type { HttpConnectionManager } from './http-connection-manager.ts';
import type { ListenerClass } from './listener-class.ts';

/** What the proxy tells of itself in headers, on listeners of any class. */
export function identityHeaders(read: MeshRead, listenerClass: ListenerClass): HttpConnectionManager {
  const headers = proxyConfig(read, 'proxyHeaders');
  return {
    ...serverHeader(headers, listenerClass),
    ...(headers?.requestId?.disabled ? { generateRequestId: false } : {}),
    ...(headers?.xForwardedPort?.enabled ? { appendXForwardedPort: true } : {}),
  };
}

/** Outbound, Envoy's own name is left as it is, which clients have come to know. */
function serverHeader(headers: ProxyHeaders | undefined, listenerClass: ListenerClass): HttpConnectionManager {
  if (headers?.server?.disabled) return { serverHeaderTransformation: 'PASS_THROUGH' };
  const serverName = headers?.server?.value || (listenerClass === 'outbound' ? '' : 'istio-envoy');
  return serverName ? { serverName } : {};
}

/** What upstreams are told of the client's certificate. */
export function clientCertificateHeaders(read: MeshRead): HttpConnectionManager {
  const headers = proxyConfig(read, 'proxyHeaders');
  const details = headers?.setCurrentClientCertDetails;
  const stated = headers?.forwardedClientCert;
  const forward = stated === undefined || stated === 'UNDEFINED' ? 'APPEND_FORWARD' : stated;
  return {
    ...(forward === 'SANITIZE' ? {} : { forwardClientCertDetails: forward }),
    setCurrentClientCertDetails: {
      subject: details?.subject ?? true,
      ...((details?.uri ?? true) ? { uri: true } : {}),
      ...((details?.dns ?? true) ? { dns: true } : {}),
      ...(details?.cert ? { cert: true } : {}),
      ...(details?.chain ? { chain: true } : {}),
    },
  };
}
