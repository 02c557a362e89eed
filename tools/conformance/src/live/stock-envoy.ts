import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeDescription } from '@kedge/model';
import { Child, EnvoyAdmin } from '@kedge/testbed';

/** How a client of xDS is told of changes: by all resources of a type (state of the world), or by those that changed. */
export type XdsMode = 'sotw' | 'delta';

export interface StockEnvoyOptions {
  readonly name: string;
  /** Path of the Envoy. */
  readonly binary: string;
  readonly node: NodeDescription;
  /** A folder for its files. */
  readonly dir: string;
  /** Unix sockets of the control plane and of the agent's secrets. */
  readonly xds: string;
  readonly secrets: string;
  readonly mode: XdsMode;
  /** In a network namespace of its own, in which every address is local. */
  readonly isolated: boolean;
}

/** An Envoy with the node of a proxy and nothing else, that gets everything by xDS. */
export class StockEnvoy implements AsyncDisposable {
  readonly child: Child;
  readonly admin: EnvoyAdmin;

  private constructor(child: Child, socketPath: string) {
    this.child = child;
    this.admin = new EnvoyAdmin({ socketPath });
  }

  static async start(options: StockEnvoyOptions): Promise<StockEnvoy> {
    const dir = join(options.dir, options.name);
    await mkdir(dir);
    const admin = join(dir, 'admin');
    const config = join(dir, 'bootstrap.json');
    await writeFile(config, JSON.stringify(bootstrap(options, admin)));
    const envoy = [options.binary, '-c', config, '--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
    const command = commandOf(options.isolated, envoy);
    return new StockEnvoy(new Child({ name: `Envoy ${options.name}`, command, cwd: dir }), admin);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.child.stop();
  }
}

/** What makes every address local, then runs what follows it. */
const everyAddressIsLocal = [
  'ip link set lo up',
  'ip route add local 0.0.0.0/0 dev lo',
  'ip -6 route add local ::/0 dev lo',
  'exec "$@"',
].join('\n');
/** Access logs open `/dev/stdout`. It has to be a file: a socket, as children of Node have it, can't be opened. */
const outputToFile = 'exec "$@" >stdout';

const inShell = (script: string, ...command: readonly string[]) => ['sh', '-ec', script, 'sh', ...command] as const;

function commandOf(isolated: boolean, envoy: readonly string[]): readonly [program: string, ...args: string[]] {
  const command = inShell(outputToFile, ...envoy);
  return isolated ? ['unshare', '--net', ...inShell(everyAddressIsLocal, ...command)] : command;
}

const apiTypes: Readonly<Record<XdsMode, string>> = { sotw: 'GRPC', delta: 'DELTA_GRPC' };

function bootstrap({ node, xds, secrets, mode }: StockEnvoyOptions, admin: string): object {
  const { id, metadata, locality } = node;
  const source = { ads: {}, initialFetchTimeout: '0s', resourceApiVersion: 'V3' };
  return {
    node: { id, cluster: 'conformance', metadata, locality },
    admin: { address: { pipe: { path: admin } } },
    dynamicResources: {
      adsConfig: {
        apiType: apiTypes[mode],
        transportApiVersion: 'V3',
        setNodeOnFirstMessageOnly: true,
        grpcServices: [{ envoyGrpc: { clusterName: 'xds-grpc' } }],
      },
      cdsConfig: source,
      ldsConfig: source,
    },
    staticResources: {
      clusters: [
        socketCluster('xds-grpc', xds),
        // The agent's, and those of servers that the operator runs.
        ...['sds-grpc', 'sds-files-grpc', 'sds-external'].map((name) => socketCluster(name, secrets)),
      ],
    },
    // As in the bootstrap of the agent.
    layeredRuntime: { layers: [{ name: 'static', staticLayer: { 're2.max_program_size.error_level': '32768' } }] },
    // Names are not to be found, at once and without asking anybody.
    typedDnsResolverConfig: {
      name: 'envoy.network.dns_resolver.cares',
      typedConfig: {
        '@type': 'type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig',
        resolvers: [{ socketAddress: { address: '127.0.0.1', portValue: 1 } }],
      },
    },
  };
}

const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

const socketCluster = (name: string, path: string): object => ({
  name,
  type: 'STATIC',
  connectTimeout: '1s',
  loadAssignment: {
    clusterName: name,
    endpoints: [{ lbEndpoints: [{ endpoint: { address: { pipe: { path } } } }] }],
  },
  typedExtensionProtocolOptions: {
    [HTTP_OPTIONS]: {
      '@type': `type.googleapis.com/${HTTP_OPTIONS}`,
      explicitHttpConfig: { http2ProtocolOptions: {} },
    },
  },
});
