import {
  canonicalHost,
  type ConfigOf,
  type GatewayServer as ServerSpec,
  isHttp,
  isTls,
  type ObjectRef,
  parseProtocol,
  type Protocol,
  type ServerTLSSettings,
} from '@kedge/model';

/**
 * How a server treats connections: as HTTP; as HTTP within TLS that it ends; as opaque bytes, with or without ending TLS
 * first; or as TLS that it passes on by the SNI, to where VirtualServices say or (`auto-passthrough`) to the service that the
 * SNI names.
 */
export type ServerKind = 'http' | 'https' | 'tcp' | 'tls' | 'passthrough' | 'auto-passthrough';

/** A server of a Gateway, with all that depends on the Gateway it stands in put in place. */
export interface GatewayServer {
  /** `namespace/name`, as VirtualServices refer to it. */
  readonly gateway: string;
  readonly from: ObjectRef;
  /** Path of the server in its object. */
  readonly field: string;
  /** Empty where it has none; a prefix of its statistics. */
  readonly name: string;
  readonly kind: ServerKind;
  /** The port as the Gateway says it; where it listens may be another. */
  readonly port: number;
  readonly portName: string;
  readonly protocol: Protocol;
  /** Empty for all addresses. */
  readonly bind: string;
  /** `host`, or `namespace/host` where only VirtualServices of that namespace may use it. */
  readonly hosts: readonly string[];
  readonly tls: ServerTLSSettings | undefined;
}

export function gatewayServer(config: ConfigOf<'Gateway'>, spec: ServerSpec, position: number): GatewayServer {
  const protocol = parseProtocol(spec.port?.protocol ?? '');
  return {
    gateway: `${config.namespace}/${config.name}`,
    from: { kind: config.kind, namespace: config.namespace, name: config.name },
    field: `spec.servers[${position}]`,
    name: spec.name ?? '',
    kind: serverKind(protocol, spec.tls),
    port: spec.port?.number ?? 0,
    portName: spec.port?.name ?? '',
    protocol,
    bind: spec.bind ?? '',
    hosts: unique(spec.hosts.map((host) => qualifyHost(host, config.namespace))),
    tls: spec.tls,
  };
}

function serverKind(protocol: Protocol, tls: ServerTLSSettings | undefined): ServerKind {
  if (isHttp(protocol)) return 'http';
  if (!tls) return 'tcp';
  const { mode = 'PASSTHROUGH' } = tls;
  if (mode === 'AUTO_PASSTHROUGH') return 'auto-passthrough';
  if (mode === 'PASSTHROUGH') return 'passthrough';
  return protocol === 'HTTPS' ? 'https' : 'tls';
}

/** `./host` is for the Gateway's own namespace, `*` + `/host` for all. */
function qualifyHost(text: string, namespace: string): string {
  const slash = text.indexOf('/');
  const host = canonicalHost(text.slice(slash + 1));
  const scope = slash < 0 ? '*' : text.slice(0, slash);
  if (scope === '*') return host;
  return `${scope === '.' ? namespace : scope}/${host}`;
}

/** The host of an entry without the namespace. */
export const hostOf = (entry: string): string => entry.slice(entry.indexOf('/') + 1);

/** The SNI values that the server takes; empty for plain text. `*` stands for any, also none. */
export function sniHosts(server: GatewayServer): readonly string[] {
  return speaksTls(server) ? unique(server.hosts.map(hostOf)).sort() : [];
}

export const speaksTls = ({ kind }: GatewayServer): boolean => kind !== 'http' && kind !== 'tcp';

/**
 * The name under which the server's routes are found; empty for what isn't HTTP. HTTP servers of a port share theirs, each
 * HTTPS server has its own, since it's a filter chain of its own.
 */
export function routeName(server: GatewayServer, listenPort: number): string {
  const bind = server.bind === '' ? '' : `.${server.bind}`;
  if (server.kind === 'http') return `http.${listenPort}${bind}`;
  if (server.kind !== 'https') return '';
  const { namespace, name } = server.from;
  return `https.${server.port}.${server.portName}.${name}.${namespace}${bind}`;
}

/** Whether plain text of two servers can be told apart on one port. */
export const canShareListener = (a: GatewayServer, b: GatewayServer): boolean => a.kind === 'http' && b.kind === 'http';

/** Whether the server could speak HTTP/3 too. */
export const canUpgradeToHttp3 = ({ kind, protocol }: GatewayServer): boolean => kind === 'https' && isTls(protocol);

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
