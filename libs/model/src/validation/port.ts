import { type Protocol, parseProtocol } from '../protocol.ts';
import { isDnsLabel } from './dns.ts';
import { type Issues, type Problem, quote } from './issues.ts';

const PROTOCOLS = 'HTTP, HTTP2, HTTPS, HTTP_PROXY, GRPC, GRPC-WEB, TLS, TCP, MONGO, MYSQL, REDIS, UDP';

export function portProblem(port: number): Problem {
  return port >= 1 && port <= 65535 ? undefined : `${port} is not a port: it must be in 1..65535`;
}

export function portNameProblem(name: string): Problem {
  return isDnsLabel(name) ? undefined : `${quote(name)} is not a port name: it must be a DNS label such as "http-web"`;
}

/** Whether a port of a manifest may speak it; the mesh's tunnels are not for manifests. */
export function isPortProtocol(protocol: Protocol): boolean {
  return protocol !== 'Unsupported' && protocol !== 'HBONE' && protocol !== 'DOUBLE_HBONE';
}

export function protocolProblem(name: string): Problem {
  return isPortProtocol(parseProtocol(name)) ? undefined : `${quote(name)} is not a protocol; use one of ${PROTOCOLS}`;
}

/** A port by which traffic or a destination is matched, where zero stands for none. */
export function validateOptionalPort(issues: Issues, port: number): void {
  if (port !== 0) issues.check('invalid-port', portProblem(port));
}
