import { type ConfigOf, type Diagnostic } from '@kedge/model';
import {
  canShareListener,
  canUpgradeToHttp3,
  type GatewayServer,
  gatewayServer,
  hostOf,
  routeName,
  speaksTls,
} from './gateway-server.ts';

/** A server in its place, where it shares a listener with others. */
export interface MergedServer extends GatewayServer {
  /** See {@link routeName}. */
  readonly routeName: string;
  /** Whether it speaks HTTP/3 on the UDP port of the same number. */
  readonly http3: boolean;
}

/** All servers of a port and address. */
export interface MergedListener {
  /** The port of the workload. */
  readonly port: number;
  /** Empty for all addresses. */
  readonly bind: string;
  readonly servers: readonly MergedServer[];
}

/** The Gateways of a proxy as one. */
export interface MergedGateway {
  readonly listeners: readonly MergedListener[];
  /** `namespace/name` of each Gateway that selects the proxy, by age. */
  readonly gateways: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where the servers of a Gateway listen. */
export interface GatewayPlacement {
  readonly config: ConfigOf<'Gateway'>;
  /** The ports of the workload behind a port of the Gateway. */
  ports(number: number): readonly number[];
  /** Whether a UDP port of that number leads to the workload. */
  servesUdp(number: number): boolean;
}

/**
 * Puts the servers of several Gateways, given by age, into listeners. Who comes first keeps its place: a plain-text server
 * that can't be told apart from one that is there, and hosts that TLS servers of the listener have already, are left out.
 */
export function mergeGateways(gateways: readonly GatewayPlacement[], http3: boolean): MergedGateway {
  const listeners = new Map<string, ListenerBuilder>();
  const routes = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const { config, ports, servesUdp } of gateways) {
    config.spec.servers.forEach((spec, position) => {
      const server = gatewayServer(config, spec, position);
      for (const port of ports(server.port)) {
        const key = `${port} ${server.bind}`;
        let listener = listeners.get(key);
        if (!listener) listeners.set(key, (listener = new ListenerBuilder(port, server.bind)));
        const name = routeName(server, port);
        if (server.kind === 'https' && routes.has(name)) {
          diagnostics.push(leftOut(server, 'duplicate-port-name', `port name "${server.portName}" is taken`));
          continue;
        }
        const upgrade = http3 && canUpgradeToHttp3(server) && servesUdp(server.port);
        const added = listener.add({ ...server, routeName: name, http3: upgrade }, diagnostics);
        if (added && name !== '') routes.add(name);
      }
    });
  }
  return {
    listeners: [...listeners.values()]
      .map((listener) => listener.build())
      .filter(({ servers }) => servers.length > 0)
      .sort((a, b) => a.port - b.port || (a.bind < b.bind ? -1 : 1)),
    gateways: gateways.map(({ config }) => `${config.namespace}/${config.name}`),
    diagnostics,
  };
}

class ListenerBuilder {
  readonly #port: number;
  readonly #bind: string;
  readonly #servers: MergedServer[] = [];
  /** Who has a host among those that speak TLS. */
  readonly #tlsHosts = new Map<string, string>();

  constructor(port: number, bind: string) {
    this.#port = port;
    this.#bind = bind;
  }

  build(): MergedListener {
    return { port: this.#port, bind: this.#bind, servers: this.#servers };
  }

  /** False where nothing remains of the server. */
  add(server: MergedServer, diagnostics: Diagnostic[]): boolean {
    const plain = this.#servers.find((other) => !speaksTls(other));
    if (plain && !canShareListener(plain, server)) {
      const text = `port ${this.#port} is taken by a ${plain.protocol} server of Gateway ${plain.gateway}`;
      diagnostics.push(leftOut(server, 'port-conflict', text));
      return false;
    }
    // A server that only redirects to HTTPS claims its hosts as one that speaks TLS does.
    const hosts = server.tls ? this.#freeHosts(server, diagnostics) : server.hosts;
    if (hosts.length === 0) return false;
    this.#servers.push(hosts.length === server.hosts.length ? server : { ...server, hosts });
    return true;
  }

  #freeHosts(server: MergedServer, diagnostics: Diagnostic[]): readonly string[] {
    const taken = new Map(this.#tlsHosts);
    const free = server.hosts.filter((entry) => !taken.has(hostOf(entry)));
    for (const host of new Set(server.hosts.map(hostOf))) {
      const owner = taken.get(host);
      if (owner === undefined) this.#tlsHosts.set(host, server.gateway);
      else {
        const text = `host ${host} on port ${this.#port} is served by Gateway ${owner}`;
        diagnostics.push({ ...leftOut(server, 'duplicate-host', text), field: `${server.field}.hosts` });
      }
    }
    return free;
  }
}

function leftOut({ from, field }: GatewayServer, code: string, message: string): Diagnostic {
  return { ...from, severity: 'warning', code, field, message };
}
