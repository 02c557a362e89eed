/** What a port speaks, as far as routing cares. `Unsupported` means: nothing said, find out by looking at the bytes. */
export type Protocol =
  | 'HTTP'
  | 'HTTP2'
  | 'GRPC'
  | 'GRPC-Web'
  | 'HTTPS'
  | 'HTTP_PROXY'
  | 'HBONE'
  | 'DOUBLE_HBONE'
  | 'TCP'
  | 'TLS'
  | 'UDP'
  | 'MONGO'
  | 'REDIS'
  | 'MYSQL'
  | 'Unsupported';

const byName: Readonly<Record<string, Protocol>> = {
  tcp: 'TCP',
  udp: 'UDP',
  grpc: 'GRPC',
  'grpc-web': 'GRPC-Web',
  http: 'HTTP',
  http_proxy: 'HTTP_PROXY',
  http2: 'HTTP2',
  https: 'HTTPS',
  tls: 'TLS',
  mongo: 'MONGO',
  redis: 'REDIS',
  mysql: 'MYSQL',
  hbone: 'HBONE',
  double_hbone: 'DOUBLE_HBONE',
};

/** The protocol of a name as it stands in `protocol:` of a ServiceEntry or Gateway. */
export function parseProtocol(name: string): Protocol {
  return byName[name.toLowerCase()] ?? 'Unsupported';
}

/** Names that Kubernetes gives a meaning. https://kubernetes.io/docs/concepts/services-networking/service/#application-protocol */
const byAppProtocol: Readonly<Record<string, Protocol>> = {
  'kubernetes.io/h2c': 'HTTP2',
  'kubernetes.io/ws': 'HTTP',
  'kubernetes.io/wss': 'HTTPS',
};

/** Ports that are never sniffed, because their servers speak first: SMTP, DNS, MySQL, MongoDB. */
const serverFirstPorts: ReadonlySet<number> = new Set([25, 53, 3306, 27017]);

/** What only the mesh itself speaks; a port that says so is looked into like any other. */
const isTunnel = (protocol: Protocol): boolean => protocol === 'HBONE' || protocol === 'DOUBLE_HBONE';

export interface PortDescription {
  readonly name?: string;
  readonly port: number;
  /** Transport protocol of a Kubernetes port: TCP (default), UDP or SCTP. */
  readonly transport?: string;
  readonly appProtocol?: string;
}

/**
 * The protocol of a Kubernetes port: what `appProtocol` says or, without one, the port's name; of either the part before a
 * `-` counts. Undecided where that names no protocol.
 * https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/
 */
export function selectProtocol({ name = '', port, transport = 'TCP', appProtocol }: PortDescription): Protocol {
  if (transport === 'UDP') return 'UDP';
  const standard = appProtocol === undefined ? undefined : byAppProtocol[appProtocol];
  if (standard) return standard;
  const stated = (appProtocol ?? name).toLowerCase();
  if (stated.startsWith('grpc-web')) return 'GRPC-Web';
  const [prefix = ''] = stated.split('-', 1);
  const protocol = parseProtocol(prefix);
  if (protocol !== 'Unsupported' && !isTunnel(protocol)) return protocol;
  return serverFirstPorts.has(port) ? 'TCP' : 'Unsupported';
}

export const isHttp = (p: Protocol): boolean => p === 'HTTP' || p === 'HTTP2' || p === 'GRPC' || p === 'GRPC-Web' || p === 'HTTP_PROXY'; // prettier-ignore
export const isHttp2 = (p: Protocol): boolean => p === 'HTTP2' || p === 'GRPC' || p === 'GRPC-Web';
export const isTls = (p: Protocol): boolean => p === 'HTTPS' || p === 'TLS';
export const isTcp = (p: Protocol): boolean => p === 'TCP' || p === 'HTTPS' || p === 'TLS' || p === 'MONGO' || p === 'REDIS' || p === 'MYSQL'; // prettier-ignore
export const isUndecided = (p: Protocol): boolean => p === 'Unsupported';
